import { aboutApproval } from '../../domain/activity.ts';
import type { Approval, Decision } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { hasActivity } from '../../store/activity.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { type DecidedApproval, decideApproval } from './decide-approval.ts';
import { decideAsPerson } from './decide-as-person.ts';
import type { OpenedLink } from './open-approval-link.ts';

const HOLDER = { type: 'hosted_link', id: null } as const;

/**
 * Decides an approval through the link that opened it: as the person of a personal link, or as the
 * holder of a bearer link. Throws APPROVAL_DECISION_SCOPE_REQUIRED for a link that only shows the
 * request.
 */
export async function decideByLink(
  gateway: Gateway,
  { approval, viewer, refusal }: Pick<OpenedLink, 'approval' | 'viewer' | 'refusal'>,
  { decision, reason }: { decision: Decision; reason?: string | undefined },
): Promise<DecidedApproval> {
  if (viewer) return decideAsPerson(gateway, { approval, decision, person: viewer, reason });
  if (refusal === null) return decideApproval(gateway, { approvalId: approval.id, decision, by: HOLDER, reason });
  await recordRefusal(gateway, approval, decision);
  throw new GatewayError('APPROVAL_DECISION_SCOPE_REQUIRED', refusal);
}

/** Records only the first attempt, because the holder can be a program that retries forever. */
async function recordRefusal({ db }: Gateway, approval: Approval, decision: Decision): Promise<void> {
  const type = 'approval.decision_refused';
  if (approval.status !== 'pending' || (await hasActivity(db, { approvalId: approval.id, type, actorType: HOLDER.type }))) return;
  const details = { decision, because: 'APPROVAL_DECISION_SCOPE_REQUIRED' };
  await recordActivity(db, { ...aboutApproval(approval), type, actor: HOLDER, details });
}
