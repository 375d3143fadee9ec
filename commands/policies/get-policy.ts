import { GatewayError } from '../../domain/errors.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import { assertOrgWide, assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findApprovalPolicy } from '../../store/approval-policies.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds a policy. Throws APPROVAL_POLICY_NOT_FOUND and SCOPE_DENIED. Every key with access to a
 * workspace may read organization-wide policies, because they decide the calls of the key.
 */
export async function getApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<Policy> {
  const policy = await findApprovalPolicy(gateway.db, principal.orgId, id);
  if (!policy) throw policyNotFound();
  const reachesNothing = principal.workspaceIds.length === 0;
  if (policy.workspaceId !== null) assertWorkspace(principal, policy.workspaceId);
  else if (reachesNothing) assertOrgWide(principal);
  return policy;
}

/** The error for a policy that the organization does not have. */
export function policyNotFound(): GatewayError {
  return new GatewayError('APPROVAL_POLICY_NOT_FOUND', 'There is no such approval policy.');
}
