import type { Knex } from 'knex';

/**
 * Adds the number of the last pass (execution of the code) after which no caller waited for a run.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column declined_pass_number int');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column declined_pass_number');
}
