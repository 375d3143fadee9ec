import { GatewayError } from '../../domain/errors.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { findPolicyVersion, type PolicyVersion } from '../../store/policy-versions.ts';
import type { Gateway } from '../gateway.ts';
import type { PolicyWithSecrets } from './create-policy.ts';
import { updateApprovalPolicy } from './update-policy.ts';

/**
 * Restores an earlier version of a policy as a new version. Throws NOT_FOUND and the errors of
 * `updateApprovalPolicy`, for example if a record no longer exists.
 */
export async function restorePolicyVersion(
  gateway: Gateway,
  principal: KeyPrincipal,
  policy: Policy,
  version: number,
): Promise<PolicyWithSecrets> {
  const { fields } = await getPolicyVersion(gateway, policy, version);
  return updateApprovalPolicy(gateway, principal, policy, fields, version);
}

/** Finds a version of a policy. Throws NOT_FOUND. The caller must have checked the permission. */
export async function getPolicyVersion({ db }: Gateway, { orgId, id }: Policy, version: number): Promise<PolicyVersion> {
  const found = await findPolicyVersion(db, orgId, id, version);
  if (!found) throw new GatewayError('NOT_FOUND', 'The policy has no such version.');
  return found;
}
