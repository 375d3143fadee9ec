import type { Knex } from 'knex';

/**
 * Adds the number of the last pass (execution of the code) after which the caller resumed a run.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column resumed_pass_number int');
  await knex.raw(
    "alter table outbox drop constraint outbox_kind_check, add constraint outbox_kind_check check (kind in ('approval-requested', 'approval-settled', 'run-resumed'))",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from outbox where kind = 'run-resumed'");
  await knex.raw(
    "alter table outbox drop constraint outbox_kind_check, add constraint outbox_kind_check check (kind in ('approval-requested', 'approval-settled'))",
  );
  await knex.raw('alter table code_runs drop column resumed_pass_number');
}
