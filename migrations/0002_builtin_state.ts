import type { Knex } from 'knex';

/**
 * State of the built-in integrations (specification 2.6). Values are `json`, because `jsonb` cannot
 * store every string of JSON.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table kv_entries (
      org_id uuid not null,
      workspace_id uuid not null,
      scope text not null check (scope in ('end_user', 'workspace', 'external')),
      scope_key text collate "C" not null check (octet_length(scope_key) <= 1024),
      key text collate "C" not null check (octet_length(key) between 1 and 512),
      value json not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, key),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );

    create table stored_files (
      org_id uuid not null,
      workspace_id uuid not null,
      scope text not null check (scope in ('end_user', 'workspace', 'external')),
      scope_key text collate "C" not null check (octet_length(scope_key) <= 1024),
      path text collate "C" not null check (octet_length(path) between 1 and 1024),
      content bytea not null check (octet_length(content) <= 1048576),
      content_type text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, path),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table stored_files, kv_entries');
}
