import type { Knex } from 'knex';

/**
 * Adds the log of a run's last pass (execution of the code). `told_at`: when an answer to the
 * caller first named the approval.
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
