import type { Knex } from 'knex';

/** Adds indexes of earlier approvals, newest first: of an action, and of a server's programs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index approvals_last_approved_call on approvals
      (workspace_id, integration_name, action_name, coalesce(workspace_integration_id::text, ''), coalesce(end_user_id, ''), decided_at desc)
      where status in ('approved', 'consumed') and decided_by_type <> 'policy' and approval_access_mode <> 'dashboard_only'
        and (code_run_id is null or call_number is not null);
    create index approvals_last_approved_program on approvals (mcp_server_id, policy_id, coalesce(end_user_id, ''), decided_at desc)
      where status in ('approved', 'consumed') and decided_by_type <> 'policy' and approval_access_mode <> 'dashboard_only'
        and code_run_id is not null and call_number is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index approvals_last_approved_call, approvals_last_approved_program');
}
