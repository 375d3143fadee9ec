import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Case } from './cases.ts';
import type { Scene } from './scene.ts';
import { STEPS, type Step, type StepName } from './steps.ts';
import { describePoint, type Point, SIDES, type Target } from './trap.ts';

/** Every point of a step, from one run of it in which nothing was killed. */
export async function findPoints(scene: Scene, stepName: StepName): Promise<{ points: Point[]; one: Case }> {
  const step: Step = STEPS[stepName];
  const one = newCase(step, `${stepName}, undisturbed`, 0);
  await step.prepare(scene, one);
  scene.system.trap.record(step.process);
  await step.act(scene, one);
  await untilFinished(scene, step, one, () => false);
  const { passed } = scene.system.trap.end();
  const own = passed.filter(({ label }) => !BACKGROUND.test(label));
  return { points: own.flatMap((message) => SIDES.map((side) => ({ ...message, side }))), one };
}

/** What the worker does on its own, now and then. */
const BACKGROUND = /activity_heads|activity_unsealed|seal-activity|select outbox|receipt_keys|webhook_endpoints/;

/** Runs a step and kills the target at the point. `sprung` says whether the step came to it: what another process does at the same time varies. */
export async function runAtPoint(
  scene: Scene,
  { stepName, target, point, variant }: { stepName: StepName; target: Target; point: Point; variant: number },
): Promise<{ sprung: boolean; one: Case }> {
  const step: Step = STEPS[stepName];
  const one = newCase(step, `${stepName} / ${target} / ${describePoint(point)}`, variant);
  const { trap, parts, ready } = scene.system;
  await ready();
  await step.prepare(scene, one);
  let isStruck = false;
  trap.set(step.process, point, target, async () => {
    isStruck = true;
    await parts[target].kill();
  });
  try {
    await step.act(scene, one);
    await untilFinished(scene, step, one, () => isStruck);
  } finally {
    trap.end();
  }
  return { sprung: isStruck, one };
}

const FINISHED_WITHIN_MS = 60_000;
/** For the last words of a process after all it had to do. */
const LAST_WORDS_MS = 150;

async function untilFinished(scene: Scene, step: Step, one: Case, enough: () => boolean): Promise<void> {
  const end = Date.now() + FINISHED_WITHIN_MS;
  while (step.finished && !enough() && !(await step.finished(scene, one))) {
    if (Date.now() > end) throw new Error(`${one.story} was not finished within a minute`);
    await delay(20);
  }
  if (step.finished && !enough()) await delay(LAST_WORDS_MS);
}

/** The variant chooses among the manners of the step, and lengthens the name, by which the step chooses among decisions. */
function newCase(step: Step, story: string, variant: number): Case {
  return { name: `${randomUUID()}${'x'.repeat(variant % 6)}`, story, manner: step.manners[variant % step.manners.length]! };
}
