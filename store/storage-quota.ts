import type { Db } from '../infra/database.ts';

/**
 * Maximum number of bytes for the contents of an organization's files and key-value entries. Their
 * names have a separate limit of the same size. Undefined: no limit.
 */
export type StorageQuota = number | undefined;

/**
 * The beginning of a statement that writes files or key-value entries and selects from `quota`. The
 * parameter is the result of `quotaValue`. The triggers of migration 0031 then refuse writes that
 * exceed the quota.
 */
export const WITH_QUOTA = `with quota as materialized (select set_config('gateway.storage_quota', ?, true))`;

/** Returns the parameter of `WITH_QUOTA`. */
export function quotaValue(quota: StorageQuota): string {
  return quota === undefined ? '' : String(quota);
}

/**
 * Returns the bytes that an organization stores, with the overhead of each entry in `nameBytes`.
 */
export async function findStorageUsage(db: Db, orgId: string): Promise<{ contentBytes: number; nameBytes: number }> {
  const row = await db('storage_usage').where({ org_id: orgId }).first('content_bytes as contentBytes', 'name_bytes as nameBytes');
  return row ?? { contentBytes: 0, nameBytes: 0 };
}

/** Returns true for the error of a write that exceeds the quota. */
export function isStorageFull(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'SQ001';
}
