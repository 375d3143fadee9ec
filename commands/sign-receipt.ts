import { randomUUID } from 'node:crypto';
import type { Approval, Receipt } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { insertReceipt } from '../store/receipts.ts';
import type { Gateway } from './gateway.ts';
import { claimsOf } from './receipt-claims.ts';

/**
 * Makes the receipt of an approval in the transaction of the decision that approves it; its times are that decision's, by the database
 * clock. The signer must be registered. Throws UNAVAILABLE when the key of this process was revoked: nothing is approved under such a key.
 */
export async function signReceipt({ receipts, config, logger }: Gateway, tx: Db, approval: Approval): Promise<Receipt> {
  const id = randomUUID();
  const { orgId, inputHash, timeoutSeconds: lifetimeSeconds } = approval;
  const jws = await receipts.sign(claimsOf(approval, { id, issuer: config.baseUrl }));
  const receipt = await insertReceipt(tx, { id, orgId, approvalId: approval.id, inputHash, lifetimeSeconds, kid: receipts.kid, jws });
  if (receipt) return receipt;
  logger.error({ kid: receipts.kid }, 'the key of RECEIPT_SIGNING_KEY was revoked: set a new one and restart');
  throw new GatewayError('UNAVAILABLE', 'The key that this process signs receipts under was revoked. Nothing was approved.');
}
