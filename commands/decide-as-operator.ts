import { aboutApproval, sentBy } from '../domain/activity.ts';
import { type Actor, type Approval, type Decision, OUTCOME } from '../domain/approval.ts';
import { type ErrorCode, GatewayError } from '../domain/errors.ts';
import { actorOfPerson } from '../domain/person.ts';
import { findApprovalById } from '../store/approvals.ts';
import { findMemberByEmail } from '../store/memberships.ts';
import { decideApproval } from './decide-approval.ts';
import { decideAsPerson } from './decide-as-person.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

export interface DecideAsOperator {
  approvalId: string;
  decision: Decision;
  reason?: string | undefined;
  /** Who the operator says to be; the e-mail address of a member decides as that member, by the rules of the policy. */
  by?: string | undefined;
  /** They said something that is not understood. */
  isUnclear?: boolean;
  /** Who sent it by what Temporal recorded: kept in the audit trail, and counts where the operator said nothing. */
  sender?: string | null;
}

/**
 * Decides an approval as an operator, and says who. Answers null when that counted, else why it changed nothing, which is recorded. Asked
 * again after a crash, what it did itself counts.
 */
export async function decideAsOperator(
  gateway: Gateway,
  { approvalId, decision, reason, by, isUnclear, sender }: DecideAsOperator,
): Promise<string | null> {
  const approval = await findApprovalById(gateway.db, approvalId);
  if (!approval) return 'There is no such approval.';
  if (isUnclear) return refuse(gateway, approval, { decision, because: 'NOTE_UNCLEAR', ...sentBy(sender) }, sender, UNCLEAR);
  const person = by === undefined ? undefined : await findMemberByEmail(gateway.db, approval.orgId, by);
  if (!person && by !== undefined && isAddress(by))
    return refuse(
      gateway,
      approval,
      { decision, because: 'NOT_A_MEMBER', by, reason: reason ?? null, ...sentBy(sender) },
      sender,
      STRANGER,
    );
  const actor: Actor = person ? actorOfPerson(person) : { type: 'operator', id: by ?? sender ?? null };
  try {
    if (person) await decideAsPerson(gateway, { approval, decision, person, reason, sender });
    else await decideApproval(gateway, { approvalId, decision, reason, by: actor, sender });
    return null;
  } catch (error) {
    if (!(error instanceof GatewayError) || !REFUSALS.includes(error.code)) throw error;
    const settled = await findApprovalById(gateway.db, approvalId);
    if (settled && wasDecidedBy(settled, actor, decision)) return null;
    if (error.code !== 'APPROVAL_DECISION_SCOPE_REQUIRED') {
      const details = { decision, because: error.code, reason: reason ?? null, ...sentBy(sender) };
      await recordActivity(gateway.db, { ...aboutApproval(approval), type: 'approval.decision_refused', actor, details });
    }
    return error.message;
  }
}

/** Whether a name is an e-mail address or has one inside. */
function isAddress(name: string): boolean {
  return /\S@\S/.test(name.normalize('NFKC'));
}

/** It would read as if a member had decided. */
const STRANGER = 'That is not the address of a member of the organization. Give the address of one, or a name that is no address.';
/** Whoever mistypes a name must not decide as somebody else. */
const UNCLEAR = 'What came with the signal is not understood. Send nothing, a text, or { "reason": "…", "by": "…" }.';

/** Writes down a decision that does not count; answers why. */
async function refuse(
  gateway: Gateway,
  approval: Approval,
  details: Record<string, unknown>,
  sender: string | null | undefined,
  why: string,
): Promise<string> {
  const actor: Actor = { type: 'operator', id: sender ?? null };
  await recordActivity(gateway.db, { ...aboutApproval(approval), type: 'approval.decision_refused', actor, details });
  return why;
}

const REFUSALS: ErrorCode[] = ['APPROVAL_DECISION_SCOPE_REQUIRED', 'APPROVAL_ALREADY_DECIDED', 'APPROVAL_EXPIRED'];

function wasDecidedBy(approval: Approval, actor: Actor, decision: Decision): boolean {
  const status = approval.status === 'consumed' ? 'approved' : approval.status;
  return approval.decidedByType === actor.type && approval.decidedById === actor.id && status === OUTCOME[decision];
}
