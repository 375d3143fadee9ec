import type { Knex } from 'knex';
import { buildIndex } from './build-index.ts';

export const config = { transaction: false };

/**
 * An index of waiting approvals by their approvers, oldest first. It contains a hash of the
 * approvers, because an index entry may have at most 2.7 kB.
 */
export async function up(knex: Knex): Promise<void> {
  await buildIndex(
    knex,
    'approvals_waiting',
    "approvals (org_id, jsonb_hash_extended(approvers, 0), created_at, id) include (expires_at) where status = 'pending'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index approvals_waiting');
}
