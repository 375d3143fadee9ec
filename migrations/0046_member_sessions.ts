import type { Knex } from 'knex';

/**
 * Sign-in of members to the dashboard (decisions section 7, Members). Name and password belong to a
 * membership. Otherwise an administrator of one organization could sign in to another organization.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table memberships
      drop constraint memberships_role_check,
      add constraint memberships_role_check check (role in ('owner', 'admin', 'member', 'viewer')),
      add column display_name text,
      add column password_hash text,
      add column joined_at timestamptz;

    create table member_sessions (
      id uuid primary key default gen_random_uuid(),
      token_hash bytea not null unique,
      org_id uuid not null,
      user_id uuid not null,
      method text not null,
      source text not null,
      user_agent text not null,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      expires_at timestamptz not null,
      foreign key (org_id, user_id) references memberships on delete cascade
    );
    create index member_sessions_of_member on member_sessions (org_id, user_id);
    create index member_sessions_expired on member_sessions (expires_at);

    create table member_links (
      org_id uuid not null,
      user_id uuid not null,
      token_hash bytea not null unique,
      purpose text not null,
      expires_at timestamptz not null,
      primary key (org_id, user_id),
      foreign key (org_id, user_id) references memberships on delete cascade
    );

    create table setup_links (
      org_id uuid primary key references orgs on delete cascade,
      token_hash bytea not null unique,
      expires_at timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table setup_links, member_links, member_sessions;
    delete from memberships where role = 'viewer';
    alter table memberships
      drop constraint memberships_role_check,
      add constraint memberships_role_check check (role in ('owner', 'admin', 'member')),
      drop column joined_at, drop column password_hash, drop column display_name;
  `);
}
