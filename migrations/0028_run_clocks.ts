import type { Knex } from 'knex';

/** When the code of a run first ran, which is what its clock starts from; null before, and in runs of before, whose clocks start from their creation. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column clock_started_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column clock_started_at');
}
