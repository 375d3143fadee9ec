import { aboutApproval, sentBy } from '../../domain/activity.ts';
import type { Approval, Decision } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOfPerson, type Person } from '../../domain/person.ts';
import { personApprovers } from '../../domain/policies/approver-rules.ts';
import { hideOperatorCodes } from '../../domain/redaction/operator-codes-in-text.ts';
import type { Db } from '../../infra/database.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { type DecidedApproval, decideApproval } from './decide-approval.ts';
import { refusalOf } from './open-approval-link.ts';

export interface DecideAsPerson {
  approval: Approval;
  decision: Decision;
  person: Person;
  reason?: string | undefined;
  /** For the audit trail: the sender, if an operator decides in the name of the person. */
  sender?: string | null | undefined;
  /** See `DecideApproval`. */
  spend?: ((tx: Db) => Promise<void>) | undefined;
}

/**
 * Decides an approval as a person. If the policy does not let the person decide, records the
 * refusal and throws APPROVAL_DECISION_SCOPE_REQUIRED.
 */
export async function decideAsPerson(
  gateway: Gateway,
  { approval, decision, person, reason, sender, spend }: DecideAsPerson,
): Promise<DecidedApproval> {
  const by = actorOfPerson(person);
  const refusal = refusalOf(approval, person);
  if (refusal === null) return decideApproval(gateway, { approvalId: approval.id, decision, by, reason, sender, spend });
  const details = {
    decision,
    because: 'APPROVAL_DECISION_SCOPE_REQUIRED',
    reason: reason === undefined ? null : hideOperatorCodes(reason),
    ...sentBy(sender),
  };
  await recordActivity(gateway.db, { ...aboutApproval(approval), type: 'approval.decision_refused', actor: by, details });
  throw new GatewayError('APPROVAL_DECISION_SCOPE_REQUIRED', refusal, { approvers: personApprovers(approval.approvers) });
}
