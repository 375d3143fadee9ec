import type { Knex } from 'knex';

/**
 * Adds the end of the lease of a pass (execution of the code) that started before its workflow
 * task.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column leased_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column leased_until');
}
