import type { Knex } from 'knex';

/**
 * Adds the position, the redacted input and the idempotence of a run's call, and indexes for lists
 * of runs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table calls add column code_line integer, add column code_column integer, add column input_preview bytea, add column idempotent boolean;
    alter table code_runs add column result_deleted_at timestamptz;
    create index code_runs_kept_results on code_runs (finished_at) where finished_at is not null and result_deleted_at is null;
    drop index code_runs_org;
    create index code_runs_list on code_runs (org_id, created_at desc, id desc);
    create index code_runs_list_by_status on code_runs (org_id, status, created_at desc, id desc);
    create index code_runs_list_of_workspace on code_runs (org_id, workspace_id, created_at desc, id desc);
    create index code_runs_list_of_server on code_runs (org_id, mcp_server_id, created_at desc, id desc);
    create index code_runs_list_of_end_user on code_runs (org_id, end_user_id, created_at desc, id desc) where end_user_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index code_runs_kept_results, code_runs_list, code_runs_list_by_status, code_runs_list_of_workspace, code_runs_list_of_server,
      code_runs_list_of_end_user;
    create index code_runs_org on code_runs (org_id, created_at desc);
    alter table code_runs drop column result_deleted_at;
    alter table calls drop column code_line, drop column code_column, drop column input_preview, drop column idempotent;
  `);
}
