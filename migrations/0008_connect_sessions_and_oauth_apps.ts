import type { Knex } from 'knex';

/** Adds connect sessions and OAuth apps. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table oauth_apps (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      integration_name text not null,
      display_name text,
      client_id text not null,
      sealed_client_secret bytea not null,
      created_at timestamptz not null default now(),
      unique (org_id, integration_name)
    );
    create index oauth_apps_list on oauth_apps (org_id, created_at, id);

    create table connect_sessions (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      token_hash bytea unique,
      integration_name text not null,
      workspace_integration_id uuid,
      auth_method_key text,
      used_method_key text,
      external_id text not null,
      connection_name text not null,
      scope text not null check (scope in ('ORGANIZATION', 'WORKSPACE', 'USER')),
      end_user_id text,
      success_redirect_uri text,
      error_redirect_uri text,
      status text not null default 'PENDING' check (status in ('PENDING', 'CONNECTING', 'COMPLETED', 'FAILED')),
      state_hash bytea unique,
      connection_id uuid,
      error text,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      check ((scope = 'USER') = (end_user_id is not null)),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      foreign key (org_id, workspace_id, workspace_integration_id)
        references workspace_integrations (org_id, workspace_id, id) on delete cascade
    );
    create index connect_sessions_of_workspace on connect_sessions (workspace_id, expires_at);
    create index connect_sessions_of_instance on connect_sessions (workspace_integration_id) where workspace_integration_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table connect_sessions, oauth_apps');
}
