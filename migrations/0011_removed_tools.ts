import type { Knex } from 'knex';

/** Synced tools that were removed from a server, so that later syncs do not add them again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table removed_mcp_tools (
      org_id uuid not null,
      workspace_id uuid not null,
      server_id uuid not null,
      workspace_integration_id uuid not null,
      action_name text not null,
      primary key (server_id, workspace_integration_id, action_name),
      foreign key (org_id, workspace_id, server_id) references mcp_servers (org_id, workspace_id, id) on delete cascade,
      foreign key (org_id, workspace_id, workspace_integration_id) references workspace_integrations (org_id, workspace_id, id) on delete cascade
    );
    create index removed_mcp_tools_source on removed_mcp_tools (workspace_integration_id);
    create index removed_mcp_tools_workspace on removed_mcp_tools (workspace_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table removed_mcp_tools');
}
