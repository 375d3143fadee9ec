import type { Knex } from 'knex';

/**
 * The time until which a continuation waits for a paused run. A decision before that resumes the
 * run at once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column awaited_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column awaited_until');
}
