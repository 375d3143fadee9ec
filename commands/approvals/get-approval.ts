import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findApproval } from '../../store/approvals.ts';
import type { Gateway } from '../gateway.ts';

/**
 * The approval with this ID, if the key may read it. Throws APPROVAL_NOT_FOUND for an unknown or
 * foreign approval, then SCOPE_DENIED.
 */
export async function getApproval(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<Approval> {
  return readApproval(principal, await findApproval(gateway.db, principal.orgId, id));
}

/** The same for what was read with the key; undefined: the organization has no such approval. */
export function readApproval(principal: KeyPrincipal, approval: Approval | undefined): Approval {
  if (!approval) throw new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval.');
  assertWorkspace(principal, approval.workspaceId);
  return approval;
}
