import type { Knex } from 'knex';

/**
 * Integrations that an organization imported (import contract). Each action and each shared schema
 * is a row, so that it can be parsed alone.
 * `revision`: a cache key. `checking_until`: the lease of a scheduled refresh.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table custom_integrations (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      name text not null,
      kind text not null,
      version int not null default 1,
      revision uuid not null default gen_random_uuid(),
      status text not null default 'ACTIVE',
      last_error json,
      head json not null,
      overrides json not null default '{}',
      settings json not null,
      refresh_every_seconds int not null,
      on_change text not null,
      sealed_fetch bytea,
      source json not null,
      report json not null,
      imported_at timestamptz not null default now(),
      checked_at timestamptz not null default now(),
      checking_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (org_id, name)
    );
    create index custom_integrations_to_check on custom_integrations (checked_at) where refresh_every_seconds > 0;

    create table custom_actions (
      integration_id uuid not null references custom_integrations on delete cascade,
      name text not null,
      position int not null,
      display_name text not null,
      description text not null,
      category text not null,
      source json not null,
      category_from text not null,
      text text not null,
      uses json not null,
      hash text not null,
      primary key (integration_id, name)
    );

    create table custom_definitions (
      integration_id uuid not null references custom_integrations on delete cascade,
      hash text not null,
      text text not null,
      primary key (integration_id, hash)
    );

    alter table approvals add column definition_hash text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals drop column definition_hash;
    drop table custom_definitions;
    drop table custom_actions;
    drop table custom_integrations;
  `);
}
