import type { Knex } from 'knex';

/**
 * Adds partials (preset inputs of actions) and columns of connections. A connection can now be
 * deleted while a workspace integration or a tool refers to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table connections
      add column workspace_integration_id uuid,
      add column expires_at timestamptz,
      add column expiring_at timestamptz,
      add column credentials_version integer not null default 1,
      add check ((scope = 'ORGANIZATION') = (workspace_id is null)),
      add check ((scope = 'USER') = (end_user_id is not null)),
      add check (workspace_integration_id is null or workspace_id is not null),
      add foreign key (org_id, workspace_id, workspace_integration_id)
        references workspace_integrations (org_id, workspace_id, id) on delete set null (workspace_integration_id);
    create index connections_of_workspace on connections (workspace_id, integration_name);
    create index connections_of_instance on connections (workspace_integration_id) where workspace_integration_id is not null;
    create index connections_of_end_user on connections (end_user_id) where end_user_id is not null;
    create index connections_list on connections (org_id, created_at, id);

    alter table workspace_integrations
      drop constraint workspace_integrations_org_id_connection_id_fkey,
      add foreign key (org_id, connection_id) references connections (org_id, id) on delete set null (connection_id);
    create index workspace_integrations_connection on workspace_integrations (connection_id) where connection_id is not null;
    alter table mcp_tools
      drop constraint mcp_tools_org_id_connection_id_fkey,
      add foreign key (org_id, connection_id) references connections (org_id, id) on delete set null (connection_id);
    create index mcp_tools_connection on mcp_tools (connection_id) where connection_id is not null;
    create index mcp_tools_source on mcp_tools (source_workspace_integration_id) where source_workspace_integration_id is not null;

    alter table approvals
      add column concerned_connection_ids uuid[] not null default '{}',
      add column concerned_integration_ids uuid[] not null default '{}',
      add column request_hash text;
    create index mcp_servers_list on mcp_servers (org_id, created_at, id) include (workspace_id, suspended_at);
    create index mcp_tokens_of_server on mcp_tokens (server_id, expires_at);
    create index approvals_pending_of_workspace on approvals (workspace_id) where status = 'pending';

    create table partials (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      integration_name text not null,
      workspace_integration_id uuid,
      action_name text,
      trigger_name text,
      name text not null check (char_length(name) between 1 and 100),
      description text check (char_length(description) <= 500),
      "values" json not null,
      enforced_keys text[] not null default '{}',
      is_default boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (action_name is null or trigger_name is null),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      foreign key (org_id, workspace_id, workspace_integration_id) references workspace_integrations (org_id, workspace_id, id) on delete cascade
    );
    create index partials_list on partials (org_id, created_at, id) include (workspace_id);
    create unique index partials_name on partials (workspace_id, integration_name, name);
    create unique index partials_one_default on partials
      (workspace_id, integration_name, coalesce(workspace_integration_id, workspace_id), coalesce(action_name, ''), coalesce(trigger_name, ''))
      where is_default;
    create index partials_of_instance on partials (workspace_integration_id) where workspace_integration_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table partials;
    drop index mcp_servers_list, mcp_tokens_of_server;
    alter table approvals drop column concerned_connection_ids, drop column concerned_integration_ids, drop column request_hash;
    alter table connections drop column workspace_integration_id, drop column expires_at, drop column expiring_at;
  `);
}
