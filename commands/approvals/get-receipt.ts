import type { Approval, Receipt } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { findReceipt } from '../../store/receipts.ts';
import type { Gateway } from '../gateway.ts';
import { getApproval } from './get-approval.ts';

/**
 * The signed receipt of an approval. Throws the errors of `getApproval`, and NOT_FOUND if there is
 * no signed receipt.
 */
export async function getReceipt(gateway: Gateway, principal: KeyPrincipal, approvalId: string): Promise<Receipt & { jws: string }> {
  const approval = await getApproval(gateway, principal, approvalId);
  const receipt = await findReceipt(gateway.db, approval.orgId, approval.id);
  if (!receipt) throw new GatewayError('NOT_FOUND', `There is no receipt: ${whyNone(approval)}`);
  const { jws } = receipt;
  if (jws === null) throw new GatewayError('NOT_FOUND', 'There is no signed receipt: this was approved by an earlier version.');
  return { ...receipt, jws };
}

function whyNone({ status, decidedByType }: Approval): string {
  if (status === 'pending') return 'the approval is pending, and a receipt is made when it is approved.';
  if (decidedByType === 'policy') return 'a policy let the call through, and a receipt states what a person approved.';
  if (decidedByType === 'timeout') return 'nobody decided the approval in time.';
  return `the approval was ${status}, and a receipt states what was approved.`;
}
