import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findApproval } from '../../store/approvals.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Returns the approval with this id if the key may read it. Throws APPROVAL_NOT_FOUND for an
 * unknown or foreign approval, then SCOPE_DENIED.
 */
export async function getApproval(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<Approval> {
  return readApproval(principal, await findApproval(gateway.db, principal.orgId, id));
}

/**
 * Like `getApproval`, for an approval that was already read with the key. Undefined means that the
 * organization has no such approval.
 */
export function readApproval(principal: KeyPrincipal, approval: Approval | undefined): Approval {
  if (!approval) throw new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval.');
  assertWorkspace(principal, approval.workspaceId);
  return approval;
}
