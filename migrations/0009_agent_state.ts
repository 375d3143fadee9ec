import type { Knex } from 'knex';

/**
 * State of agents by persistence scope (specification 2.6). Searched texts use the collation
 * `und-x-icu`, so that letter case is compared in the same way in every cluster.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table memory_entities (
      ${OWNER},
      name text collate "C" not null check (octet_length(name) between 1 and 256),
      type text collate "und-x-icu" not null check (octet_length(type) between 1 and 256),
      observations text[] collate "und-x-icu" not null,
      size_bytes integer not null,
      position bigint generated always as identity,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, name),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );

    create table memory_relations (
      ${OWNER},
      from_name text collate "C" not null,
      to_name text collate "C" not null,
      type text collate "C" not null check (octet_length(type) between 1 and 256),
      position bigint generated always as identity,
      created_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, from_name, to_name, type),
      foreign key (org_id, workspace_id, scope, scope_key, from_name)
        references memory_entities (org_id, workspace_id, scope, scope_key, name) on delete cascade,
      foreign key (org_id, workspace_id, scope, scope_key, to_name)
        references memory_entities (org_id, workspace_id, scope, scope_key, name) on delete cascade
    );
    create index memory_relations_to on memory_relations (org_id, workspace_id, scope, scope_key, to_name);

    create table scratchpad_pages (
      ${OWNER},
      name text collate "C" not null check (octet_length(name) between 1 and 512),
      content text collate "und-x-icu" not null check (octet_length(content) <= 1048576),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, name),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );

    create table thoughts (
      ${OWNER},
      chain_id text collate "C" not null check (octet_length(chain_id) between 1 and 256),
      number integer not null check (number >= 1),
      revision integer not null default 0 check (revision >= 0),
      branch text collate "C",
      follows integer,
      content text not null,
      created_at timestamptz not null default now(),
      primary key (org_id, workspace_id, scope, scope_key, chain_id, number, revision),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );
  `);
}

const OWNER = `
      org_id uuid not null,
      workspace_id uuid not null,
      scope text not null check (scope in ('end_user', 'workspace', 'external')),
      scope_key text collate "C" not null check (octet_length(scope_key) <= 1024)`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table thoughts, scratchpad_pages, memory_relations, memory_entities');
}
