import { GatewayError } from '../../domain/errors.ts';
import { isStorageFull, type StorageQuota } from '../../store/storage-quota.ts';

/**
 * Runs a write. Throws QUOTA_EXCEEDED, with nothing stored, if the write would exceed the storage
 * quota.
 */
export async function withinStorageQuota<Value>(quota: StorageQuota, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    const megabytes = quota! / 1024 / 1024;
    throw new GatewayError(
      'QUOTA_EXCEEDED',
      `The organization may store ${megabytes} MB in the contents of files and key-value entries, and as much in their names. This write would exceed a limit. Nothing was stored. Delete some files or entries first.`,
      { quotaMb: megabytes },
    );
  }
}
