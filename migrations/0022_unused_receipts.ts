import type { Knex } from 'knex';

/**
 * Approvals that are not used yet, by the end of their receipt, which begins with the decision: those that ran out are found without reading the
 * others, and without the receipts of all that was ever approved. In UTC, since only times without a zone can be reckoned with in an index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index approvals_unused on approvals (((decided_at at time zone 'UTC') + timeout_seconds * interval '1 second')) where status = 'approved'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index approvals_unused');
}
