import type { Knex } from 'knex';

/** Until when a continuation waits for a paused run: a decision that comes meanwhile lets the run go on at once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column awaited_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column awaited_until');
}
