import { hasRole } from '../../../../domain/member.ts';
import type { Approver } from '../../../../domain/policies/policy.ts';
import type { Visit } from '../screen.ts';

/**
 * The address of a webhook, as far as the viewer may read it. Path and query may contain a secret
 * of the receiver, so only members who may configure webhooks see them.
 */
export function shownAddress({ member }: Visit, url: string): string {
  return hasRole(member.role, 'admin') ? url : `${new URL(url).origin}/…`;
}

/** Approvers with such addresses. */
export function shownApprovers(visit: Visit, approvers: readonly Approver[]): Approver[] {
  return approvers.map((approver) =>
    approver.type === 'webhook' ? { ...approver, webhookUrl: shownAddress(visit, approver.webhookUrl) } : approver,
  );
}
