import type { Knex } from 'knex';

/**
 * An index of unused approvals by the expiry of their receipt. Times are in UTC, because an index
 * allows arithmetic only on timestamps without a time zone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index approvals_unused on approvals (((decided_at at time zone 'UTC') + timeout_seconds * interval '1 second')) where status = 'approved'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index approvals_unused');
}
