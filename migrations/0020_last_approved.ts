import type { Knex } from 'knex';

/**
 * Adds two indexes of earlier approvals, newest first. The first lists the approvals of an action
 * for an end user. The second lists the approvals of a server's programs under a policy. Both
 * exclude approvals that a policy granted or that were visible only in the dashboard.
 */
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
