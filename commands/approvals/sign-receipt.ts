import { randomUUID } from 'node:crypto';
import type { Approval, Receipt } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Db } from '../../infra/database.ts';
import { insertReceipt } from '../../store/receipts.ts';
import type { Gateway } from '../gateway.ts';
import { claimsOf } from './receipt-claims.ts';

/**
 * Signs and inserts a receipt, in the transaction that approves. Throws UNAVAILABLE if the signing
 * key was revoked.
 */
export async function signReceipt({ receipts, config, logger }: Gateway, tx: Db, approval: Approval): Promise<Receipt> {
  const id = randomUUID();
  const { orgId, inputHash, timeoutSeconds: lifetimeSeconds } = approval;
  const jws = await receipts.sign(claimsOf(approval, { id, issuer: config.baseUrl }));
  const receipt = await insertReceipt(tx, { id, orgId, approvalId: approval.id, inputHash, lifetimeSeconds, kid: receipts.kid, jws });
  if (receipt) return receipt;
  logger.error({ kid: receipts.kid }, 'receipt signing key revoked, set a new RECEIPT_SIGNING_KEY and restart');
  throw new GatewayError('UNAVAILABLE', 'The receipt signing key of this process was revoked. Nothing was approved.');
}
