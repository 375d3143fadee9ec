import { hasRole } from '../../../../domain/member.ts';
import type { Approver } from '../../../../domain/policies/policy.ts';
import type { Visit } from '../screen.ts';

/**
 * The URL of a webhook for admins, or only its origin for others: path and query can contain a
 * secret of the receiver, so only members who may configure webhooks see them.
 */
export function shownAddress({ member }: Visit, url: string): string {
  return hasRole(member.role, 'admin') ? url : `${new URL(url).origin}/…`;
}

/** Approvers whose webhook URLs are shortened by `shownAddress`. */
export function shownApprovers(visit: Visit, approvers: readonly Approver[]): Approver[] {
  return approvers.map((approver) =>
    approver.type === 'webhook' ? { ...approver, webhookUrl: shownAddress(visit, approver.webhookUrl) } : approver,
  );
}
