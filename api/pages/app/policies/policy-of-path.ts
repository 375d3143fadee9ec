import { getApprovalPolicy } from '../../../../commands/policies/get-policy.ts';
import type { Policy } from '../../../../domain/policies/policy.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';

/** Path of the screens of policies, below /app. */
export const BASE = '/policies';

/** The policy in the path. Throws NOT_FOUND or APPROVAL_POLICY_NOT_FOUND. */
export async function policyOfPath({ gateway, principal, params }: Visit): Promise<Policy> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getApprovalPolicy(gateway, principal, id.data);
}
