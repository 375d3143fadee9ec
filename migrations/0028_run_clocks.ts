import type { Knex } from 'knex';

/**
 * Adds the time when the clock of a run starts. Null for older runs, whose clock starts at their
 * creation.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column clock_started_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column clock_started_at');
}
