import { setTimeout as delay } from 'node:timers/promises';
import type { Decision } from '../../domain/approval.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { callOf, type Manner, type Scene } from './scene.ts';

/** One thing that the system does between a request and its consumption. */
export interface Step {
  /** The process whose messages are its points. */
  process: 'api' | 'worker';
  manners: readonly Manner[];
  /** What has to have happened before. */
  prepare(scene: Scene, one: Case): Promise<void>;
  /** What a caller or a reviewer does. */
  act(scene: Scene, one: Case): Promise<void>;
  /** Resolves when the process has done all of its part; left out where that is when the act was answered. */
  finished?(scene: Scene, one: Case): Promise<boolean>;
}

/** Two of the manners or decisions are one step where the same messages are sent. */
export const STEPS = {
  request: { process: 'api', manners: ['ask for a while'], prepare: warmUp, act: ask },
  announce: { process: 'worker', manners: ['ask for a while'], prepare: warmUp, act: ask, finished: toldOf('approval.requested') },
  approve: { process: 'api', manners: ['ask'], prepare: ask, act: deciding('approve') },
  'reject or cancel': { process: 'api', manners: ['ask'], prepare: ask, act: refuse },
  'tell of a decision': { process: 'worker', manners: ['ask'], prepare: askedAndTold, act: decideAnyhow, finished: ended },
  consume: { process: 'api', manners: ['ask'], prepare: askedAndApproved, act: make },
  'time out': { process: 'worker', manners: ['expires soon', 'rejects soon'], prepare: askedAndTold, act: async () => {}, finished: ended },
  'notify only': { process: 'api', manners: ['notify'], prepare: warmUp, act: make },
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

/** What an API that has just started reads once. */
async function warmUp(scene: Scene, { manner }: Case): Promise<void> {
  const { idempotencyKey: _, ...call } = callOf(scene, manner, 'unused');
  await scene.caller.post('/api/v1/actions/execute', {
    ...call,
    integrationName: 'datetime',
    actionName: 'parse_date',
    input: { dateString: '2026-01-01' },
  });
}

async function askedAndTold(scene: Scene, one: Case): Promise<void> {
  await warmUp(scene, one);
  await ask(scene, one);
  while (!(await toldOf('approval.requested')(scene, one))) await delay(20);
}

async function askedAndApproved(scene: Scene, one: Case): Promise<void> {
  await ask(scene, one);
  await decide(scene, one, 'approve');
}

function deciding(decision: Decision) {
  return (scene: Scene, one: Case) => decide(scene, one, decision);
}

/** By the name of the case, so that the seed decides. */
function refuse(scene: Scene, one: Case): Promise<void> {
  return decide(scene, one, one.name.length % 2 === 0 ? 'reject' : 'cancel');
}

function decideAnyhow(scene: Scene, one: Case): Promise<void> {
  return decide(scene, one, (['approve', 'reject', 'cancel'] as const)[one.name.length % 3]!);
}

function toldOf(event: string) {
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
