import type { Knex } from 'knex';

/**
 * A run is durable once its row is committed. `workflow_due_at` is the outbox entry of the run: the
 * time from which its workflow must be started. Null once the workflow has started, or if the run
 * ended without a workflow.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table code_runs add column workflow_due_at timestamptz;
    create index code_runs_workflow_due on code_runs (workflow_due_at) where workflow_due_at is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column workflow_due_at');
}
