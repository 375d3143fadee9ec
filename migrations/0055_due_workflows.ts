import type { Knex } from 'knex';

/** `workflow_due_at`: from when the workflow of a run must be started. Null once it has started. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table code_runs add column workflow_due_at timestamptz;
    create index code_runs_workflow_due on code_runs (workflow_due_at) where workflow_due_at is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column workflow_due_at');
}
