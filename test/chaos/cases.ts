import type { ApprovalEvent, ApprovalStatus, Decision } from '../../domain/approval.ts';
import { callOf, type Manner, type Scene } from './scene.ts';

/** One gated call and all that its caller and its reviewer were told of it. */
export interface Case {
  /** Its idempotency key, and how the third party knows it. */
  name: string;
  manner: Manner;
  /** The step and the point in which something was killed. */
  story: string;
  approvalId?: string;
  /** A decision that was answered with 200, or refused because it stood already. */
  decided?: Decision;
  /** What the caller heard of the call: it ran, nobody knows, or it was not made. */
  outcome?: 'ran' | 'unknown' | 'not made';
}

/** Asks until an approval is answered, which is always the same one. */
export async function ask(scene: Scene, one: Case): Promise<void> {
  const { status, body } = await scene.caller.post('/api/v1/actions/execute', callOf(scene, one.manner, one.name));
  if (status !== 202) throw new Error(`asked, and got ${status} ${JSON.stringify(body)}`);
  one.approvalId = body.approval.id;
}

/** Decides until it is answered: with 200, or because an answer was lost with the decision that stands. */
export async function decide(scene: Scene, one: Case, decision: Decision): Promise<void> {
  const { status, body } = await scene.caller.post(`/api/v1/approvals/${one.approvalId}/${decision}`, {});
  const stands = status === 200 ? body.approval.status : body.details?.status;
  if (stands !== OUTCOMES[decision].status) throw new Error(`decided ${decision}, and got ${status} ${JSON.stringify(body)}`);
  one.decided = decision;
}

/** Makes the call until it is answered what became of it. */
export async function make(scene: Scene, one: Case): Promise<void> {
  const { status, body } = await scene.caller.post('/api/v1/actions/execute', callOf(scene, one.manner, one.name));
  one.outcome = status === 200 ? 'ran' : HEARD[body.details?.reason ?? body.code];
  if (!one.outcome) throw new Error(`made the call, and got ${status} ${JSON.stringify(body)}`);
}

const HEARD: Record<string, Case['outcome']> = { EXECUTION_OUTCOME_UNKNOWN: 'unknown', not_made: 'not made' };

const OUTCOMES: Record<Decision, { status: ApprovalStatus; event: ApprovalEvent }> = {
  approve: { status: 'approved', event: 'approval.approved' },
  reject: { status: 'rejected', event: 'approval.rejected' },
  cancel: { status: 'canceled', event: 'approval.canceled' },
};

const TIMED_OUT: Partial<Record<Manner, ApprovalStatus>> = {
  'ask for a while': 'expired',
  'expires soon': 'expired',
  'rejects soon': 'rejected',
  'expires later': 'expired',
  'rejects later': 'rejected',
};

/** How a case must end, by what was told. */
export function endOf({ manner, decided, outcome }: Case): { status: ApprovalStatus; events: ApprovalEvent[]; effects: number[] } {
  const effects = { ran: [1], unknown: [0, 1], 'not made': [0], nothing: [0] }[outcome ?? 'nothing'];
  if (manner === 'notify') return { status: 'consumed', events: ['approval.requested'], effects };
  if (!decided) return { status: TIMED_OUT[manner] ?? 'pending', events: ['approval.requested', 'approval.expired'], effects };
  const { status, event } = OUTCOMES[decided];
  return { status: outcome ? 'consumed' : status, events: ['approval.requested', event], effects };
}
