import { aboutApproval, sentBy } from '../../domain/activity.ts';
import { type Actor, type Approval, type Decision, OUTCOME, UNVERIFIED_OPERATOR } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOfPerson, type Person } from '../../domain/person.ts';
import type { OperatorNote } from '../../domain/read-operator-note.ts';
import type { Db } from '../../infra/database.ts';
import { findApprovalById } from '../../store/approvals.ts';
import { findMember } from '../../store/memberships.ts';
import { spendOperatorCode } from '../../store/spent-operator-codes.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { DecisionConflict, decideApproval } from './decide-approval.ts';
import { decideAsPerson } from './decide-as-person.ts';
import { type OperatorCode, readOperatorCode } from './operator-code.ts';
import { spendCodes } from './spend-codes.ts';

export interface DecideAsOperator extends OperatorNote {
  approvalId: string;
  decision: Decision;
  /** Any client can forge the sender, so it is for the audit trail only. */
  sender?: string | null;
  /** False: this command records no refusal. `decideAsPerson` still records its own refusals. */
  isRecorded?: boolean;
}

/**
 * Decides an approval as a Temporal signal asks. Spends the codes of the signal even if the
 * decision is refused. Returns the reason of a refusal, or null if the decision counted.
 */
export async function decideAsOperator(gateway: Gateway, asked: DecideAsOperator): Promise<string | null> {
  const approval = await findApprovalById(gateway.db, asked.approvalId);
  const code = asked.code === undefined ? undefined : readOperatorCode(gateway.tokens, asked.code);
  const refusal = approval ? await decide(gateway, approval, asked, code) : 'There is no such approval.';
  await spendCodes(gateway, [asked.code ?? '', ...(asked.otherCodes ?? [])]);
  return refusal;
}

async function decide(
  gateway: Gateway,
  approval: Approval,
  asked: DecideAsOperator,
  code: OperatorCode | undefined,
): Promise<string | null> {
  const { decision, reason, sender } = asked;
  if (asked.isUnclear) return refuse(gateway, approval, asked, 'NOTE_UNCLEAR');
  const by = decision === 'approve' ? await approver(gateway, approval, asked, code) : UNVERIFIED_OPERATOR;
  if (typeof by === 'string') return refuse(gateway, approval, asked, by);
  const spend = code && decision === 'approve' ? (tx: Db) => spendOnce(tx, code) : undefined;
  const actor = 'orgId' in by ? actorOfPerson(by) : by;
  try {
    if ('orgId' in by) await decideAsPerson(gateway, { approval, decision, person: by, reason, sender, spend });
    else await decideApproval(gateway, { approvalId: approval.id, decision, reason, by, sender, spend });
    return null;
  } catch (error) {
    if (error instanceof CodeRefused) return refuse(gateway, approval, asked, error.refusal);
    if (!(error instanceof GatewayError)) throw error;
    const current = error instanceof DecisionConflict ? error.approval : approval;
    if (wasDecidedBy(current, actor, decision)) return null;
    if (error instanceof DecisionConflict) await recordRefusal(gateway, approval, asked, error.code, actor);
    else if (error.code !== 'APPROVAL_DECISION_SCOPE_REQUIRED') throw error;
    return error.message;
  }
}

async function approver(
  gateway: Gateway,
  approval: Approval,
  { code: given }: DecideAsOperator,
  code: OperatorCode | undefined,
): Promise<Person | Actor | Refusal> {
  if (given === undefined) return gateway.config.operatorSignals === 'trusted' ? UNVERIFIED_OPERATOR : 'CODE_MISSING';
  if (!code) return 'CODE_UNKNOWN';
  if (code.approvalId !== approval.id) return 'CODE_OF_ANOTHER';
  if (code.userId === null) return { type: 'operator', id: code.madeBy };
  return (await findMember(gateway.db, approval.orgId, code.userId)) ?? 'NOT_A_MEMBER';
}

/** Thrown inside the transaction of a decision, to roll it back. */
class CodeRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(REFUSED[refusal]);
    this.refusal = refusal;
  }
}

async function spendOnce(tx: Db, code: OperatorCode): Promise<void> {
  const outcome = await spendOperatorCode(tx, code);
  if (outcome === 'used') throw new CodeRefused('CODE_USED');
  if (outcome === 'expired') throw new CodeRefused('CODE_EXPIRED');
}

const REFUSED = {
  NOTE_UNCLEAR: 'The note of the signal is not understood. Send { "code": "…", "reason": "…" }; reject and cancel need no code.',
  CODE_MISSING: 'Approving needs a code.',
  CODE_UNKNOWN: 'This installation did not issue that code.',
  CODE_OF_ANOTHER: 'That code is for another approval. It is used up now.',
  CODE_USED: 'That code was used before. Make another one.',
  CODE_EXPIRED: 'That code has expired. Make another one: it is valid for ten minutes.',
  NOT_A_MEMBER: 'The person whom the code names is no longer a member of the organization.',
};
type Refusal = keyof typeof REFUSED;

async function refuse(gateway: Gateway, approval: Approval, asked: DecideAsOperator, because: Refusal): Promise<string> {
  await recordRefusal(gateway, approval, asked, because, UNVERIFIED_OPERATOR);
  return REFUSED[because];
}

async function recordRefusal(gateway: Gateway, approval: Approval, asked: DecideAsOperator, because: string, actor: Actor): Promise<void> {
  const { decision, reason, sender, isRecorded = true } = asked;
  if (!isRecorded) return;
  const details = { decision, because, reason: reason ?? null, ...sentBy(sender) };
  await recordActivity(gateway.db, { ...aboutApproval(approval), type: 'approval.decision_refused', actor, details });
}

function wasDecidedBy(approval: Approval, actor: Actor, decision: Decision): boolean {
  const status = approval.status === 'consumed' ? 'approved' : approval.status;
  return approval.decidedByType === actor.type && approval.decidedById === actor.id && status === OUTCOME[decision];
}
