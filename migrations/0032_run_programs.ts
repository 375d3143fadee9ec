import type { Knex } from 'knex';

/**
 * Adds the parsed program of a run (`program`), so that its code is parsed only once. Adds the
 * approvals of the current plan (`plan_approval_ids`), so that the state of a run can be read
 * without its plan.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table code_runs add column program bytea, add column plan_approval_ids text[] not null default '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column program, drop column plan_approval_ids');
}
