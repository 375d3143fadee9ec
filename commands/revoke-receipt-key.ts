import { SetupError } from '../infra/config.ts';
import type { Db } from '../infra/database.ts';
import { listReceiptKeys, revokeReceiptKey as revoke } from '../store/receipt-keys.ts';

/**
 * Takes a key out of the key set, for good: no receipt under it can be verified with what the service lists from then on, and nothing is
 * approved under it. Throws a SetupError for an unknown key, and for the newest one, under which receipts are signed now.
 */
export async function revokeReceiptKey(db: Db, kid: string): Promise<void> {
  const keys = await listReceiptKeys(db);
  const key = keys.find((known) => known.kid === kid);
  if (!key)
    throw new SetupError(`There is no receipt key ${kid}. Those that signed here: ${keys.map((known) => known.kid).join(', ') || 'none'}.`);
  if (key.revokedAt) return;
  if (keys.at(-1) === key)
    throw new SetupError(`Receipts are signed under ${kid} now. Set another RECEIPT_SIGNING_KEY and restart every API and worker first.`);
  await revoke(db, kid);
}
