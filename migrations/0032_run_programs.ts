import type { Knex } from 'knex';

/** Adds the parsed program of a run and the approvals of its current plan. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table code_runs add column program bytea, add column plan_approval_ids text[] not null default '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column program, drop column plan_approval_ids');
}
