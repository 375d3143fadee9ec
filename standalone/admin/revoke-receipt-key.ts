import { revokeReceiptKey } from '../../commands/approvals/revoke-receipt-key.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { UsageError } from './read-options.ts';

/** Removes a leaked key from the key set. */
export const command = adminCommand({
  // A kid may start with a hyphen, so it is not parsed as an option.
  read: ([kid, ...rest]) => {
    if (kid !== undefined && /^[\w-]{43}$/.test(kid) && rest.length === 0) return kid;
    throw new UsageError('KID must be the kid of a key in /.well-known/jwks.json.');
  },
  run: async (config, kid) => {
    await onDatabase(config, (db) => revokeReceiptKey(db, kid));
    return `The key ${kid} is revoked: /.well-known/jwks.json no longer lists it, and receipts signed with it are no longer valid.`;
  },
});
