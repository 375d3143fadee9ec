import { hasRole } from '../../../../domain/member.ts';
import type { Approver } from '../../../../domain/policies/policy.ts';
import type { Visit } from '../screen.ts';

/**
 * The address of a webhook as the viewer of the page may read it. Its path and query may hold a
 * secret of the receiver, so only those who set webhooks read them.
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
