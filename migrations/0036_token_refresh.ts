import type { Knex } from 'knex';

/**
 * Adds columns for refreshing third-party tokens (contract decisions 8). `refreshing_until`: the
 * lease of the process that refreshes. `status_reason`: why the account must be connected again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table connections
      add column status_reason text,
      add column refreshing_until timestamptz,
      add column refresh_tried_at timestamptz;
    create index connections_to_refresh on connections (expires_at)
      where expires_at is not null and expiring_at is null and status = 'ACTIVE';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index connections_to_refresh;
    alter table connections drop column status_reason, drop column refreshing_until, drop column refresh_tried_at;
  `);
}
