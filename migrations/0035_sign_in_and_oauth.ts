import type { Knex } from 'knex';

/**
 * The authorization server for MCP clients and the sign-in of end users (contract decisions 8). Ids
 * and codes are stored as hashes, and records are encrypted, so a copy of the database gives no
 * access.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table identities (
      id uuid primary key default gen_random_uuid(),
      issuer text not null,
      subject text not null,
      email text not null,
      created_at timestamptz not null default now(),
      last_sign_in_at timestamptz not null default now(),
      unique (issuer, subject)
    );

    create table identity_links (
      identity_id uuid not null references identities on delete cascade,
      org_id uuid not null,
      workspace_id uuid not null,
      end_user_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (identity_id, workspace_id),
      foreign key (org_id, workspace_id, end_user_id) references end_users (org_id, workspace_id, id) on delete cascade
    );
    create index identity_links_of_end_user on identity_links (end_user_id);

    create index end_users_by_email on end_users (lower(email), workspace_id) where email is not null;

    create table sign_in_codes (
      browser_hash bytea primary key,
      email text not null,
      code_hash bytea not null,
      source text not null,
      guesses_left int not null,
      spent_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index sign_in_codes_of_email on sign_in_codes (email, created_at);
    create index sign_in_codes_of_source on sign_in_codes (source, created_at);
    create index sign_in_codes_created on sign_in_codes (created_at);

    create table sign_in_sessions (
      token_hash bytea primary key,
      identity_id uuid not null references identities on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index sign_in_sessions_of_identity on sign_in_sessions (identity_id);
    create index sign_in_sessions_expired on sign_in_sessions (expires_at);

    create table oauth_records (
      model text not null,
      id_hash bytea not null,
      payload bytea not null,
      grant_id text,
      client_id text,
      identity_id uuid references identities on delete cascade,
      server_id uuid references mcp_servers on delete cascade,
      uid_hash bytea,
      user_code_hash bytea,
      consumed_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (model, id_hash)
    );
    create index oauth_records_of_grant on oauth_records (grant_id) where grant_id is not null;
    create index oauth_records_of_identity on oauth_records (identity_id) where identity_id is not null;
    create index oauth_records_of_server on oauth_records (server_id) where server_id is not null;
    create unique index oauth_records_uid on oauth_records (model, uid_hash) where uid_hash is not null;
    create unique index oauth_records_user_code on oauth_records (model, user_code_hash) where user_code_hash is not null;
    create index oauth_records_expired on oauth_records (expires_at) where expires_at is not null;

    alter table mcp_tokens
      add column client_id text,
      add column client_name text,
      add column grant_id text,
      add column identity_id uuid references identities on delete cascade,
      add column last_used_at timestamptz;
    create index mcp_tokens_of_grant on mcp_tokens (grant_id) where grant_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index mcp_tokens_of_grant, end_users_by_email;
    alter table mcp_tokens drop column client_id, drop column client_name, drop column grant_id, drop column identity_id,
      drop column last_used_at;
    drop table oauth_records, sign_in_sessions, sign_in_codes, identity_links, identities;
  `);
}
