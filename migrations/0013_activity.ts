import type { Knex } from 'knex';

/**
 * The activity log, with a hash chain per organization. Rows have no foreign keys, because the
 * history outlives the records that it describes.
 * Rows are never updated and get their position later, so positions are in `activity_seals`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table activity (
      id bigint generated always as identity primary key,
      org_id uuid not null,
      workspace_id uuid,
      type text not null,
      actor_type text not null,
      actor_id text,
      approval_id text,
      policy_id uuid,
      policy_version integer,
      call_id uuid,
      code_run_id text,
      delivery_id uuid,
      integration_name text,
      action_name text,
      details json not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index activity_list on activity (org_id, created_at desc, id desc);
    create index activity_by_type on activity (org_id, type, created_at desc, id desc);
    create index activity_of_workspace on activity (org_id, workspace_id, created_at desc, id desc);
    create index activity_of_approval on activity (approval_id, created_at desc, id desc) where approval_id is not null;
    create index activity_of_policy on activity (policy_id, created_at desc, id desc) where policy_id is not null;
    create index activity_of_run on activity (code_run_id, created_at desc, id desc) where code_run_id is not null;

    create table activity_unsealed (
      org_id uuid not null,
      activity_id bigint not null,
      primary key (org_id, activity_id)
    );

    create table activity_seals (
      org_id uuid not null,
      position bigint not null check (position > 0),
      activity_id bigint not null unique,
      hash text not null,
      primary key (org_id, position)
    );

    create table activity_heads (
      org_id uuid primary key,
      position bigint not null default 0,
      hash text
    );

    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit trail is append-only: % of % is refused', lower(tg_op), tg_table_name;
    end $$;
    create trigger activity_append_only before update or delete on activity for each row execute function refuse_change();
    create trigger activity_not_emptied before truncate on activity for each statement execute function refuse_change();
    create trigger activity_seals_append_only before update or delete on activity_seals for each row execute function refuse_change();
    create trigger activity_seals_not_emptied before truncate on activity_seals for each statement execute function refuse_change();
    create trigger activity_heads_stay before delete on activity_heads for each row execute function refuse_change();
    create trigger activity_heads_not_emptied before truncate on activity_heads for each statement execute function refuse_change();
    create trigger activity_heads_only_grow before update on activity_heads for each row
      when (new.position <= old.position or new.org_id <> old.org_id) execute function refuse_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table activity, activity_unsealed, activity_seals, activity_heads');
  await knex.raw('drop function refuse_change');
}
