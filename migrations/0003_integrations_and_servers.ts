import type { Knex } from 'knex';

/** Connections, workspace integrations, and MCP servers with their tools and tokens. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connections (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      workspace_id uuid,
      end_user_id uuid,
      external_id text not null,
      display_name text not null,
      integration_name text not null,
      auth_method_key text not null,
      type text not null check (type in ('SECRET_TEXT', 'BASIC_AUTH', 'CUSTOM_AUTH', 'OAUTH2', 'PLATFORM_OAUTH2')),
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'EXPIRING', 'ERROR', 'REVOKED')),
      scope text not null check (scope in ('ORGANIZATION', 'WORKSPACE', 'USER')),
      sealed_credentials bytea not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      foreign key (org_id, workspace_id, end_user_id) references end_users (org_id, workspace_id, id) on delete cascade,
      unique (org_id, id)
    );
    create unique index connections_external on connections (org_id, integration_name, external_id, scope, coalesce(workspace_id, org_id), coalesce(end_user_id, org_id));

    create table workspace_integrations (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      integration_name text not null,
      alias text not null,
      display_name text,
      connection_strategy text not null check (connection_strategy in ('fixed', 'per_user', 'per_user_with_fallback')),
      connection_id uuid,
      enabled_actions text[],
      settings jsonb not null default '{}',
      sort_order double precision not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      foreign key (org_id, connection_id) references connections (org_id, id),
      unique (org_id, workspace_id, id),
      unique (workspace_id, alias)
    );

    create table mcp_servers (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      name text not null,
      description text,
      mode text not null check (mode in ('TOOLS', 'CODE')),
      settings jsonb not null default '{}',
      auth_mode text not null check (auth_mode in ('oauth', 'bearer', 'oauth_and_bearer')),
      end_user_access text not null check (end_user_access in ('restricted', 'open')),
      end_user_id uuid,
      created_by text,
      suspended_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      foreign key (org_id, workspace_id, end_user_id) references end_users (org_id, workspace_id, id) on delete cascade,
      unique (org_id, workspace_id, id)
    );
    create index mcp_servers_workspace on mcp_servers (workspace_id, created_at);

    create table mcp_tools (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      server_id uuid not null,
      integration_name text not null,
      integration_alias text not null,
      action_name text not null,
      connection_id uuid,
      display_name text,
      description text,
      input_defaults json,
      partial_ids text[] not null default '{}',
      sort_order double precision not null default 0,
      source_workspace_integration_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id, server_id) references mcp_servers (org_id, workspace_id, id) on delete cascade,
      foreign key (org_id, workspace_id, source_workspace_integration_id) references workspace_integrations (org_id, workspace_id, id) on delete cascade,
      foreign key (org_id, connection_id) references connections (org_id, id),
      unique (server_id, integration_alias, action_name)
    );

    create table mcp_tokens (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      server_id uuid not null,
      kind text not null check (kind in ('static', 'end_user', 'oauth')),
      token_prefix text not null,
      token_hash bytea not null unique,
      end_user_id uuid,
      scopes text[] not null,
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      foreign key (org_id, workspace_id, server_id) references mcp_servers (org_id, workspace_id, id) on delete cascade,
      foreign key (org_id, workspace_id, end_user_id) references end_users (org_id, workspace_id, id) on delete cascade
    );
    create unique index mcp_tokens_one_static on mcp_tokens (server_id) where kind = 'static';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table mcp_tokens, mcp_tools, mcp_servers, workspace_integrations, connections');
}
