import { openDatabase } from '../infra/database.ts';
import { openVault } from '../infra/vault.ts';
import { dataKeys, listDataKeyOfEachWrapper } from '../store/data-keys.ts';

/**
 * Throws a SetupError if stored data is encrypted under a key that ENCRYPTION_KEYS lacks, or that
 * differs there.
 */
export async function assertEncryptionKeys(databaseUrl: string, encryptionKeys: string): Promise<void> {
  const db = openDatabase({ url: databaseUrl, name: 'gateway-start', maxConnections: 1 });
  try {
    const vault = openVault(encryptionKeys, dataKeys);
    for (const dataKey of await listDataKeyOfEachWrapper(db)) vault.rewrap(dataKey);
  } finally {
    await db.destroy();
  }
}
