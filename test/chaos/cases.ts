import type { ApprovalEvent, ApprovalStatus, Decision } from '../../domain/approval.ts';
import { callOf, type Manner, type Scene } from './scene.ts';

/** One gated call, with the answers that its caller and its reviewers received. */
export interface Case {
  /** The call's idempotency key. */
  name: string;
  manner: Manner;
  title: string;
  approvalId?: string;
  /** The decision that the API confirmed. */
  decided?: Decision;
  /** What the caller was told last. */
  outcome?: 'ran' | 'unknown' | 'not made';
}

/**
 * Sends the call until the API answers, and stores the approval id. Throws unless the status is
 * 202.
 */
export async function ask(scene: Scene, one: Case): Promise<void> {
  const { status, body } = await scene.caller.post('/api/v1/actions/execute', callOf(scene, one.manner, one.name));
  if (status !== 202) throw new Error(`the call was answered ${status} ${JSON.stringify(body)}`);
  one.approvalId = body.approval.id;
}

/** Sends a decision until the API answers. Throws if the approval then has another status. */
export async function decide(scene: Scene, one: Case, decision: Decision): Promise<void> {
  const { status, body } = await scene.caller.post(`/api/v1/approvals/${one.approvalId}/${decision}`, {});
  const current = status === 200 ? body.approval.status : body.details?.status;
  if (current !== OUTCOMES[decision].status) throw new Error(`the decision ${decision} was answered ${status} ${JSON.stringify(body)}`);
  one.decided = decision;
}

/**
 * Sends the call until the API answers, and stores the outcome. Throws if the answer has no
 * outcome.
 */
export async function make(scene: Scene, one: Case): Promise<void> {
  const { status, body } = await scene.caller.post('/api/v1/actions/execute', callOf(scene, one.manner, one.name));
  one.outcome = status === 200 ? 'ran' : HEARD[body.details?.reason ?? body.code];
  if (!one.outcome) throw new Error(`the call was answered ${status} ${JSON.stringify(body)}`);
}

const HEARD: Record<string, Case['outcome']> = { EXECUTION_OUTCOME_UNKNOWN: 'unknown', not_made: 'not made' };

const OUTCOMES: Record<Decision, { status: ApprovalStatus; event: ApprovalEvent }> = {
  approve: { status: 'approved', event: 'approval.approved' },
  reject: { status: 'rejected', event: 'approval.rejected' },
  cancel: { status: 'canceled', event: 'approval.canceled' },
};

const TIMED_OUT: Partial<Record<Manner, ApprovalStatus>> = {
  'expires in 15 seconds': 'expired',
  'expires soon': 'expired',
  'rejects soon': 'rejected',
  'expires later': 'expired',
  'rejects later': 'rejected',
};

/**
 * Returns how a case with these answers must end: status, webhook events, and allowed numbers of
 * effects.
 */
export function endOf({ manner, decided, outcome }: Case): { status: ApprovalStatus; events: ApprovalEvent[]; effects: number[] } {
  const effects = { ran: [1], unknown: [0, 1], 'not made': [0], nothing: [0] }[outcome ?? 'nothing'];
  if (manner === 'notify') return { status: 'consumed', events: ['approval.requested'], effects };
  if (!decided) return { status: TIMED_OUT[manner] ?? 'pending', events: ['approval.requested', 'approval.expired'], effects };
  const { status, event } = OUTCOMES[decided];
  return { status: outcome ? 'consumed' : status, events: ['approval.requested', event], effects };
}
