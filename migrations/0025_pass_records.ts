import type { Knex } from 'knex';

/**
 * A code run keeps what its last pass wrote, where that pass did not end it: endings that people make answer it. An approval knows when an answer of a code
 * run named it first.
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
