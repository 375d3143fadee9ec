import type { Knex } from 'knex';

/** Organizations, their data keys, workspaces, API keys and end users. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table orgs (
      id uuid primary key default gen_random_uuid(),
      name text not null,
      policies_version bigint not null default 0,
      created_at timestamptz not null default now()
    );

    create table data_keys (
      org_id uuid primary key references orgs on delete cascade,
      kek_id text not null,
      wrapped_key bytea not null,
      created_at timestamptz not null default now()
    );

    create table workspaces (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      name text not null,
      slug text not null,
      surface_version bigint not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (org_id, id),
      unique (org_id, slug)
    );

    create table api_keys (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      name text not null,
      key_prefix text not null,
      key_hash bytea not null unique,
      permissions jsonb not null,
      scope text not null check (scope in ('org', 'workspace')),
      workspace_ids uuid[] not null default '{}',
      may_decide boolean not null default false,
      expires_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null default now()
    );
    create index api_keys_org on api_keys (org_id, created_at);

    create table end_users (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      workspace_id uuid not null,
      external_id text not null,
      display_name text,
      email text,
      metadata jsonb not null default '{}',
      type text not null default 'external' check (type in ('external')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade,
      unique (org_id, workspace_id, id),
      unique (workspace_id, external_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table end_users, api_keys, workspaces, data_keys, orgs');
}
