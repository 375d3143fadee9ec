import { setTimeout as delay } from 'node:timers/promises';
import type { Decision } from '../../domain/approval.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { callOf, type Manner, type Scene } from './scene.ts';

/** One step in the life of an approval, such as its request or its timeout. */
export interface Step {
  /** The process whose messages are the points of the step. */
  process: 'api' | 'worker';
  manners: readonly Manner[];
  prepare(scene: Scene, one: Case): Promise<void>;
  /** Does nothing if time starts the step. */
  act(scene: Scene, one: Case): Promise<void>;
  /** Whether the process has finished the step. Absent if `act` finishes the step. */
  finished?(scene: Scene, one: Case): Promise<boolean>;
}

/** Manners and decisions that send the same messages share a step. */
export const STEPS = {
  request: { process: 'api', manners: ['expires in 15 seconds'], prepare: warmUp, act: ask },
  announce: { process: 'worker', manners: ['expires in 15 seconds'], prepare: warmUp, act: ask, finished: delivered('approval.requested') },
  // The API signals the workflow while it answers.
  approve: { process: 'api', manners: ['ask'], prepare: ask, act: deciding('approve'), finished: ended },
  'reject or cancel': { process: 'api', manners: ['ask'], prepare: ask, act: refuse, finished: ended },
  'signal a decision': { process: 'worker', manners: ['ask'], prepare: prepareRequested, act: decideOnce, finished: ended },
  consume: { process: 'api', manners: ['ask'], prepare: prepareApproved, act: make },
  'time out': {
    process: 'worker',
    manners: ['expires soon', 'rejects soon'],
    prepare: prepareRequested,
    act: async () => {},
    finished: ended,
  },
  'notify only': { process: 'api', manners: ['notify'], prepare: warmUp, act: make },
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

/** Makes one call, so that the one-time reads of a new API process are not counted. */
async function warmUp(scene: Scene, { manner }: Case): Promise<void> {
  const { idempotencyKey: _, ...call } = callOf(scene, manner, 'unused');
  await scene.caller.post('/api/v1/actions/execute', {
    ...call,
    integrationName: 'datetime',
    actionName: 'parse_date',
    input: { dateString: '2026-01-01' },
  });
}

async function prepareRequested(scene: Scene, one: Case): Promise<void> {
  await warmUp(scene, one);
  await ask(scene, one);
  while (!(await delivered('approval.requested')(scene, one))) await delay(20);
}

async function prepareApproved(scene: Scene, one: Case): Promise<void> {
  await ask(scene, one);
  await decide(scene, one, 'approve');
}

function deciding(decision: Decision) {
  return (scene: Scene, one: Case) => decide(scene, one, decision);
}

/** The name chooses the decision: the variant of the fault sets its length (fault-run.ts). */
function refuse(scene: Scene, one: Case): Promise<void> {
  return decide(scene, one, one.name.length % 2 === 0 ? 'reject' : 'cancel');
}

function decideOnce(scene: Scene, one: Case): Promise<void> {
  return decide(scene, one, (['approve', 'reject', 'cancel'] as const)[one.name.length % 3]!);
}

function delivered(event: string) {
  return async ({ system }: Scene, { approvalId }: Case): Promise<boolean> => {
    const found = await system
      .db('webhook_deliveries')
      .where({ approval_id: approvalId ?? '', event_type: event, status: 'success' })
      .first('id')
      .catch(() => undefined);
    return found !== undefined;
  };
}

async function ended({ workflows }: Scene, { approvalId }: Case): Promise<boolean> {
  return (await workflows.statusOf(approvalId!)) === 'COMPLETED';
}
