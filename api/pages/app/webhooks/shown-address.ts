import { hasRole } from '../../../../domain/member.ts';
import type { Approver } from '../../../../domain/policies/policy.ts';
import type { Visit } from '../screen.ts';

/**
 * The URL of a webhook. Only admins and owners see its path and query, which can contain a secret
 * of the receiver.
 */
export function shownAddress({ member }: Visit, url: string): string {
  return hasRole(member.role, 'admin') ? url : `${new URL(url).origin}/…`;
}

/** Approvers with shortened webhook URLs (`shownAddress`). */
export function shownApprovers(visit: Visit, approvers: readonly Approver[]): Approver[] {
  return approvers.map((approver) =>
    approver.type === 'webhook' ? { ...approver, webhookUrl: shownAddress(visit, approver.webhookUrl) } : approver,
  );
}
