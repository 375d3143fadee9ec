import type { Knex } from 'knex';

/**
 * Adds connect tokens. The metadata of end users becomes `json`: unlike `jsonb`, it keeps every
 * string of JSON and the order of keys.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table end_users alter column metadata type json;
    create index end_users_list on end_users (org_id, workspace_id, created_at, id);
    create index mcp_servers_of_end_user on mcp_servers (end_user_id) where end_user_id is not null;
    create index mcp_tokens_of_end_user on mcp_tokens (end_user_id) where end_user_id is not null;

    create table connect_tokens (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      end_user_id uuid not null,
      integration_name text,
      workspace_integration_id uuid,
      token_hash bytea not null unique,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      foreign key (org_id, workspace_id, end_user_id) references end_users (org_id, workspace_id, id) on delete cascade,
      foreign key (org_id, workspace_id, workspace_integration_id) references workspace_integrations (org_id, workspace_id, id) on delete cascade
    );
    create index connect_tokens_of_end_user on connect_tokens (end_user_id, expires_at);
    create index connect_tokens_of_instance on connect_tokens (workspace_integration_id) where workspace_integration_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table connect_tokens;
    drop index mcp_tokens_of_end_user, mcp_servers_of_end_user, end_users_list;
    alter table end_users alter column metadata type jsonb;
  `);
}
