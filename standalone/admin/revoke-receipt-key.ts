import { revokeReceiptKey } from '../../commands/approvals/revoke-receipt-key.ts';
import type { Config } from '../../infra/config.ts';
import { openReceiptKey } from '../../infra/receipt-keys.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { UsageError } from './read-options.ts';
import { hasKeptSecrets, keptSecrets } from './service-secrets.ts';

/** Removes a leaked key from the key set. */
export const command = adminCommand({
  // A kid may start with a hyphen, so it is not parsed as an option.
  read: ([kid, ...rest]) => {
    if (kid !== undefined && /^[\w-]{43}$/.test(kid) && rest.length === 0) return kid;
    throw new UsageError('KID must be the kid of a key in /.well-known/jwks.json.');
  },
  run: async (config, kid) => {
    await onDatabase(config, (db) => revokeReceiptKey(db, kid, configuredKid(config)));
    return `The key ${kid} is revoked: /.well-known/jwks.json no longer lists it, and receipts signed with it are no longer valid.`;
  },
});

/** The kid of the service's key. Undefined if neither the variables nor DATA_DIR have the key. */
function configuredKid(config: Config): string | undefined {
  const text = config.receiptSigningKey ?? (hasKeptSecrets(config) ? keptSecrets(config, 'RECEIPT_SIGNING_KEY').RECEIPT_SIGNING_KEY : '');
  return text === '' ? undefined : openReceiptKey(text).publicKey.kid;
}
