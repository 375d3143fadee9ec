import type { Case } from './cases.ts';
import { findPoints, runAtPoint } from './fault-run.ts';
import { findBroken } from './invariants.ts';
import { type Random, seeded } from './random.ts';
import type { Scene } from './scene.ts';
import { STEPS, type StepName } from './steps.ts';
import { describePoint, type Point, TARGETS, type Target } from './trap.ts';

export interface Fault {
  stepName: StepName;
  target: Target;
  point: Point;
  variant: number;
}

export interface FaultReport {
  /** Points of each step. */
  points: Record<string, number>;
  struck: string[];
  /** Chosen points to which the step did not come this time. */
  missed: string[];
  broken: string[];
}

export interface FaultChoice {
  seed: number;
  /** Whether a fault is to be tried; all of them where it is left out. */
  only?: (fault: Fault) => boolean;
  /** Of each step one point for each of two targets, as the seed chooses, instead of every point and target. */
  sample?: boolean;
  say?: (line: string) => void;
}

/** A worker that dies with a delivery in its hands is missed late: its turns come first, so that this time is not waited for at the end. */
const ORDER: Target[] = ['worker', 'temporal', 'postgres', 'api'];

/** Counts the points of every step, kills the targets at those chosen, and then looks what became of every case. */
export async function runFaults(
  scene: Scene,
  { seed, only = () => true, sample = false, say = () => {} }: FaultChoice,
): Promise<FaultReport> {
  const random = seeded(seed);
  const cases: Case[] = [];
  const points: Record<string, number> = {};
  const faults: Fault[] = [];
  const targets = sample ? halvesOfTargets(random) : [];
  for (const stepName of Object.keys(STEPS) as StepName[]) {
    const found = await findPoints(scene, stepName);
    cases.push(found.one);
    points[stepName] = found.points.length;
    say(`${stepName}: ${found.points.length} points`);
    const choice = targets.shift();
    const chosen = choice
      ? choice.map((target) => faultOf(stepName, target, random.pick(found.points), random))
      : TARGETS.flatMap((target) => found.points.map((point) => faultOf(stepName, target, point, random)));
    faults.push(...chosen.filter(only));
  }

  const report: FaultReport = { points, struck: [], missed: [], broken: [] };
  for (const fault of faults.toSorted((a, b) => ORDER.indexOf(a.target) - ORDER.indexOf(b.target))) {
    const name = `${fault.stepName} / ${fault.target} / ${describePoint(fault.point)}`;
    try {
      const { sprung, one } = await runAtPoint(scene, fault);
      cases.push(one);
      (sprung ? report.struck : report.missed).push(name);
      say(`${sprung ? 'struck' : 'missed'} ${name}`);
    } catch (error) {
      report.broken.push(`${name}: ${error}`);
      say(`BROKEN ${name}: ${error}`);
    }
  }
  await scene.system.ready();
  report.broken.push(...(await findBroken(scene, cases)));
  return report;
}

/** Two targets for each step; each target meets half of the steps. */
function halvesOfTargets(random: Random): Target[][] {
  const pairs = Array.from({ length: Object.keys(STEPS).length / 2 }, () => random.shuffled(TARGETS));
  return pairs.flatMap((all) => [all.slice(0, 2), all.slice(2)]);
}

function faultOf(stepName: StepName, target: Target, point: Point, random: Random): Fault {
  return { stepName, target, point, variant: random.below(6) };
}
