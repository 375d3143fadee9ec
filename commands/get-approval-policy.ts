import { GatewayError } from '../domain/errors.ts';
import type { Policy } from '../domain/policy.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { findApprovalPolicy } from '../store/approval-policies.ts';
import type { Gateway } from './gateway.ts';

/** The policy of that id, if the key may read it; organization-wide ones every key may. Throws APPROVAL_POLICY_NOT_FOUND, then SCOPE_DENIED. */
export async function getApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<Policy> {
  const policy = await findApprovalPolicy(gateway.db, principal.orgId, id);
  if (!policy) throw policyNotFound();
  if (policy.workspaceId !== null) assertWorkspace(principal, policy.workspaceId);
  return policy;
}

export function policyNotFound(): GatewayError {
  return new GatewayError('APPROVAL_POLICY_NOT_FOUND', 'There is no such approval policy.');
}
