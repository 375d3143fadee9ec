import type { Db } from '../infra/database.ts';

/** Limit in bytes of an organization's files and key-value entries. Undefined: none. */
export type StorageQuota = number | undefined;

/**
 * SQL before a statement that writes files or key-value entries and reads from `quota`;
 * `quotaValue` is its binding. The triggers of migration 0031 then refuse in the same transaction
 * what exceeds the quota.
 */
export const WITH_QUOTA = `with quota as materialized (select set_config('gateway.storage_quota', ?, true))`;

/** The binding of `WITH_QUOTA`. */
export function quotaValue(quota: StorageQuota): string {
  return quota === undefined ? '' : String(quota);
}

/** Storage of an organization in bytes: contents, and names with the overhead of each entry. */
export async function findStorageUsage(db: Db, orgId: string): Promise<{ contentBytes: number; nameBytes: number }> {
  const row = await db('storage_usage').where({ org_id: orgId }).first('content_bytes as contentBytes', 'name_bytes as nameBytes');
  return row ?? { contentBytes: 0, nameBytes: 0 };
}

/** True for the error of an exceeded quota. */
export function isStorageFull(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'SQ001';
}
