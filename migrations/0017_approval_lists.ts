import type { Knex } from 'knex';

/** Indexes for lists of approvals that filter by status or workspace. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index approvals_list_by_status on approvals (org_id, status, created_at desc, id desc);
    create index approvals_list_of_workspace on approvals (org_id, workspace_id, created_at desc, id desc);
    create index approvals_list_of_workspace_by_status on approvals (org_id, workspace_id, status, created_at desc, id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index approvals_list_by_status, approvals_list_of_workspace, approvals_list_of_workspace_by_status');
}
