import type { Knex } from 'knex';

/**
 * What a pass needs of a run's code, so that the code is parsed once. A list of the approvals of
 * the current plan, so that the state of a run is read without its plan.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table code_runs add column program bytea, add column plan_approval_ids text[] not null default '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column program, drop column plan_approval_ids');
}
