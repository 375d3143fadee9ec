import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findApproval } from '../../store/approvals.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws APPROVAL_NOT_FOUND if the organization has no such approval, and SCOPE_DENIED if the key
 * may not access the workspace.
 */
export async function getApproval(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<Approval> {
  return readApproval(principal, await findApproval(gateway.db, principal.orgId, id));
}

/** Like `getApproval`, for an approval that was read. Throws APPROVAL_NOT_FOUND for undefined. */
export function readApproval(principal: KeyPrincipal, approval: Approval | undefined): Approval {
  if (!approval) throw new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval.');
  assertWorkspace(principal, approval.workspaceId);
  return approval;
}
