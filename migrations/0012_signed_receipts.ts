import type { Knex } from 'knex';

/** Receipts become signed statements. Older receipts stay unsigned. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table receipt_keys (
      kid text primary key,
      public_jwk json not null,
      created_at timestamptz not null default now(),
      revoked_at timestamptz
    );

    alter table receipts
      add column kid text references receipt_keys,
      add column jws text,
      add constraint receipts_signed check ((kid is null) = (jws is null));

    alter table approvals
      add column connection_id uuid,
      add column connection_version integer,
      add column code_hash text,
      add column tool_surface_hash text,
      add column planned_tools json;

    update approvals a
      set connection_id = c.id, connection_version = c.credentials_version
      from connections c
      where a.status = 'pending' and (a.code_run_id is null or a.call_number is not null)
        and c.org_id = a.org_id and c.id = a.concerned_connection_ids[1];
    update approvals a
      set code_hash = r.code_hash, tool_surface_hash = r.tool_surface_hash
      from code_runs r
      where a.status = 'pending' and r.org_id = a.org_id and r.id = a.code_run_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals drop column connection_id, drop column connection_version, drop column code_hash, drop column tool_surface_hash, drop column planned_tools;
    alter table receipts drop column kid, drop column jws;
    drop table receipt_keys;
  `);
}
