import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { listReceiptKeys, revokeReceiptKey as revoke } from '../../store/receipt-keys.ts';

/**
 * Removes a key from the published key set, permanently. Throws SetupError for an unknown key and
 * for the key in use. That is `configured`, or the newest key if `configured` is not registered.
 */
export async function revokeReceiptKey(db: Db, kid: string, configured?: string): Promise<void> {
  const keys = await listReceiptKeys(db);
  const key = keys.find((known) => known.kid === kid);
  if (!key)
    throw new SetupError(`There is no receipt key ${kid}. Keys registered here: ${keys.map((known) => known.kid).join(', ') || 'none'}.`);
  if (key.revokedAt) return;
  if ((keys.find((known) => known.kid === configured) ?? keys.at(-1)) === key)
    throw new SetupError(`Receipts are signed under ${kid} now. Set another RECEIPT_SIGNING_KEY and restart every API and worker first.`);
  await revoke(db, kid);
}
