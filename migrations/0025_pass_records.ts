import type { Knex } from 'knex';

/**
 * A code run keeps the log of its last pass (execution of the code). If a person ends the run, this
 * log is part of the answer. `told_at`: when an answer to the caller first named the approval.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table code_runs add column last_pass bytea;
    alter table approvals add column told_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals drop column told_at;
    alter table code_runs drop column last_pass;
  `);
}
