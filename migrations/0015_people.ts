import type { Knex } from 'knex';

/**
 * Adds users and memberships. An approval records the approvers of its policy at the time of the
 * request.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table users (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      display_name text,
      created_at timestamptz not null default now()
    );
    create unique index users_email on users (lower(email));

    create table memberships (
      org_id uuid not null references orgs on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('owner', 'admin', 'member')),
      created_at timestamptz not null default now(),
      primary key (org_id, user_id)
    );
    create index memberships_user on memberships (user_id);

    alter table approvals add column approvers jsonb not null default '[]';
    update approvals a set approvers = (
        select coalesce(jsonb_agg(case when spec ->> 'type' = 'webhook' then '{"type":"webhook"}' else spec end), '[]')
        from jsonb_array_elements(p.approvers::jsonb) spec)
      from approval_policies p
      where a.status = 'pending' and p.org_id = a.org_id and p.id = a.policy_id and p.version = a.policy_version;
    create index approvals_of_end_user on approvals (workspace_id, end_user_id, expires_at, id)
      where status = 'pending' and end_user_id is not null and approvers @> '[{"type":"end_user"}]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index approvals_of_end_user;
    alter table approvals drop column approvers;
    drop table memberships, users;
  `);
}
