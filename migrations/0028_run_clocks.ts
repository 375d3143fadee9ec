import type { Knex } from 'knex';

/**
 * The time when the code of a run first ran, at which its clock starts. Null before that, and in
 * older runs, whose clocks start at their creation.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column clock_started_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column clock_started_at');
}
