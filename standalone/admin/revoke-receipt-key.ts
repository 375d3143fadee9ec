import { revokeReceiptKey } from '../../commands/revoke-receipt-key.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { UsageError } from './read-options.ts';

/** Takes a key that leaked out of the key set. */
export const revokeReceipts = adminCommand({
  name: 'revoke-receipt-key',
  usage: 'KID',
  // Not by the reader of options: the name of a key may begin with a hyphen.
  read: ([kid, ...rest]) => {
    if (kid !== undefined && /^[\w-]{43}$/.test(kid) && rest.length === 0) return kid;
    throw new UsageError('KID must be the kid of a key in /.well-known/jwks.json.');
  },
  run: async (config, kid) => {
    await onDatabase(config, (db) => revokeReceiptKey(db, kid));
    return `The key ${kid} is revoked: /.well-known/jwks.json lists it no more, and receipts that were signed under it prove nothing any more.`;
  },
});
