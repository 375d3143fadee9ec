import type { Decision } from '../domain/approval.ts';
import { type DecidedApproval, decideApproval } from './decide-approval.ts';
import { decideAsPerson } from './decide-as-person.ts';
import type { Gateway } from './gateway.ts';
import type { OpenedLink } from './open-approval-link.ts';

/**
 * Decides an approval through the link that opened it: as the person whom the link is for, by the rules of its policy, or as whoever holds
 * the approval's own link. Throws as `decideAsPerson` and `decideApproval`.
 */
export async function decideByLink(
  gateway: Gateway,
  { approval, viewer }: Pick<OpenedLink, 'approval' | 'viewer'>,
  { decision, reason }: { decision: Decision; reason?: string | undefined },
): Promise<DecidedApproval> {
  if (viewer) return decideAsPerson(gateway, { approval, decision, person: viewer, reason });
  return decideApproval(gateway, { approvalId: approval.id, decision, by: { type: 'hosted_link', id: null }, reason });
}
