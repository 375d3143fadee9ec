import type { Knex } from 'knex';

/**
 * Changes that a refresh found (import contract 5). `after` replaces the old content if the change
 * is accepted. It is null if the action was removed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table custom_changes (
      id uuid primary key default gen_random_uuid(),
      integration_id uuid not null references custom_integrations on delete cascade,
      kind text not null,
      action_name text,
      status text not null,
      fields json not null,
      after json,
      after_hash text not null,
      detected_at timestamptz not null default now(),
      detected_by text not null,
      decided_at timestamptz,
      decided_by_id text,
      reason text
    );
    create unique index custom_changes_pending on custom_changes (integration_id, coalesce(action_name, ''), (case when action_name is null then kind end))
      nulls not distinct where status = 'pending';
    create index custom_changes_of_integration on custom_changes (integration_id, detected_at desc, id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table custom_changes;');
}
