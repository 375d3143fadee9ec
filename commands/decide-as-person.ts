import { aboutApproval, sentBy } from '../domain/activity.ts';
import type { Approval, Decision } from '../domain/approval.ts';
import { personApprovers } from '../domain/approver-rules.ts';
import { GatewayError } from '../domain/errors.ts';
import { actorOfPerson, type Person } from '../domain/person.ts';
import { type DecidedApproval, decideApproval } from './decide-approval.ts';
import type { Gateway } from './gateway.ts';
import { refusalOf } from './open-approval-link.ts';
import { recordActivity } from './record-activity.ts';

export interface DecideAsPerson {
  approval: Approval;
  decision: Decision;
  person: Person;
  reason?: string | undefined;
  /** Who sent it, where an operator named the person; for the audit trail. */
  sender?: string | null | undefined;
}

/**
 * Decides an approval as a person whom its policy lets decide, and says who. Throws APPROVAL_DECISION_SCOPE_REQUIRED, which is recorded,
 * for one whom it does not; then as `decideApproval`.
 */
export async function decideAsPerson(
  gateway: Gateway,
  { approval, decision, person, reason, sender }: DecideAsPerson,
): Promise<DecidedApproval> {
  const by = actorOfPerson(person);
  const refusal = refusalOf(approval, person);
  if (refusal === null) return decideApproval(gateway, { approvalId: approval.id, decision, by, reason, sender });
  const details = { decision, because: 'APPROVAL_DECISION_SCOPE_REQUIRED', reason: reason ?? null, ...sentBy(sender) };
  await recordActivity(gateway.db, { ...aboutApproval(approval), type: 'approval.decision_refused', actor: by, details });
  throw new GatewayError('APPROVAL_DECISION_SCOPE_REQUIRED', refusal, { approvers: personApprovers(approval.approvers) });
}
