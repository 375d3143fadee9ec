import type { Knex } from 'knex';

/** Adds the time until which a caller waits for a paused run. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column awaited_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column awaited_until');
}
