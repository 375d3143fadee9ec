import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Case } from './cases.ts';
import { describePoint, type Point, SIDES, type Target } from './fault-injector.ts';
import type { Scene } from './scene.ts';
import { STEPS, type Step, type StepName } from './steps.ts';

/** Runs a step without faults. Returns the points that the step passed. */
export async function findPoints(scene: Scene, stepName: StepName): Promise<{ points: Point[]; one: Case }> {
  const step: Step = STEPS[stepName];
  const one = newCase(step, `${stepName}, undisturbed`, 0);
  await step.prepare(scene, one);
  scene.system.faults.record(step.process);
  await step.act(scene, one);
  await untilFinished(scene, step, one, () => false);
  const { passed } = scene.system.faults.end();
  const own = passed.filter(({ label }) => !BACKGROUND.test(label));
  return { points: own.flatMap((message) => SIDES.map((side) => ({ ...message, side }))), one };
}

/** The worker's periodic work is not part of the step. */
const BACKGROUND = /activity_heads|activity_unsealed|seal-activity|select outbox|receipt_keys|webhook_endpoints/;

/**
 * Runs a step and kills the target at the point. `isInjected` is false if the step did not reach
 * the point: the messages of a step vary with the work of other processes.
 */
export async function runAtPoint(
  scene: Scene,
  { stepName, target, point, variant }: { stepName: StepName; target: Target; point: Point; variant: number },
): Promise<{ isInjected: boolean; one: Case }> {
  const step: Step = STEPS[stepName];
  const one = newCase(step, `${stepName} / ${target} / ${describePoint(point)}`, variant);
  const { faults, parts, ready } = scene.system;
  await ready();
  await step.prepare(scene, one);
  let isInjected = false;
  faults.set(step.process, point, target, async () => {
    isInjected = true;
    await parts[target].kill();
  });
  try {
    await step.act(scene, one);
    await untilFinished(scene, step, one, () => isInjected);
  } finally {
    faults.end();
  }
  if (isInjected && target !== 'api') await untilRecorded(scene, one);
  return { isInjected, one };
}

/**
 * Waits until the outcome of the call is stored. While the database is unreachable, the API keeps
 * outcomes in memory, and a kill of the API would lose them.
 */
async function untilRecorded(scene: Scene, { outcome, name, manner }: Case): Promise<void> {
  if (!outcome) return;
  await scene.system.ready();
  const { db } = scene.system;
  const approval = db('approvals').where({ workspace_id: scene.workspaces[manner], idempotency_key: name }).select('id');
  const isExecuting = () =>
    db('calls')
      .where({ status: 'executing' })
      .whereIn('approval_id', approval.clone())
      .first('id')
      .catch(() => true);
  await until(async () => !(await isExecuting()));
}

const FINISHED_WITHIN_MS = 60_000;
/** Time for the last messages of the process after the step. */
const FINAL_MESSAGES_MS = 150;

async function untilFinished(scene: Scene, step: Step, one: Case, enough: () => boolean): Promise<void> {
  const end = Date.now() + FINISHED_WITHIN_MS;
  while (step.finished && !enough() && !(await step.finished(scene, one))) {
    if (Date.now() > end) throw new Error(`${one.title} was not finished within a minute`);
    await delay(20);
  }
  if (step.finished && !enough()) await delay(FINAL_MESSAGES_MS);
}

/** The length of the name selects the decision in `refuse` and `decideOnce` (steps.ts). */
function newCase(step: Step, title: string, variant: number): Case {
  return { name: `${randomUUID()}${'x'.repeat(variant % 6)}`, title, manner: step.manners[variant % step.manners.length]! };
}
