import type { Case } from './cases.ts';
import { describePoint, type Point, TARGETS, type Target } from './fault-injector.ts';
import { findPoints, runAtPoint } from './fault-run.ts';
import { findBroken } from './invariants.ts';
import { type Random, seeded } from './random.ts';
import type { Scene } from './scene.ts';
import { STEPS, type StepName } from './steps.ts';

/** One fault: a target that is killed at a point of a step. */
export interface Fault {
  stepName: StepName;
  target: Target;
  point: Point;
  variant: number;
}

/** The results of all faults, and the problems that were found. */
export interface FaultReport {
  points: Record<string, number>;
  injected: string[];
  /** Faults whose point the step did not reach. */
  missed: string[];
  broken: string[];
}

/** Which faults to try. */
export interface FaultChoice {
  seed: number;
  /** By default, all faults are tried. */
  only?: (fault: Fault) => boolean;
  /**
   * Tries a random sample instead of every point with every target.
   * - 'two targets a step': for each step two targets, each at one point
   * - 'one a target': for each target one step, at one point
   */
  sample?: 'two targets a step' | 'one a target';
  say?: (line: string) => void;
}

/** Worker kills come first, because a delivery of a killed worker is retried late. */
const ORDER: Target[] = ['worker', 'temporal', 'postgres', 'api'];

/** Kills the targets at the chosen points, then checks the outcome of every case. */
export async function runFaults(scene: Scene, { seed, only = () => true, sample, say = () => {} }: FaultChoice): Promise<FaultReport> {
  const random = seeded(seed);
  const cases: Case[] = [];
  const points: Record<string, number> = {};
  const faults: Fault[] = [];
  const pointsOf = new Map<StepName, Point[]>();
  const sampled = sample && sampleTargets(random, sample);
  for (const stepName of sampled?.keys() ?? STEP_NAMES) {
    const found = await findPoints(scene, stepName);
    cases.push(found.one);
    points[stepName] = found.points.length;
    pointsOf.set(stepName, found.points);
    say(`${stepName}: ${found.points.length} points`);
    const chosen = sampled
      ? sampled.get(stepName)!.map((target) => faultOf(stepName, target, random.pick(found.points), random))
      : TARGETS.flatMap((target) => found.points.map((point) => faultOf(stepName, target, point, random)));
    faults.push(...chosen.filter(only));
  }

  const report: FaultReport = { points, injected: [], missed: [], broken: [] };
  /** Returns false only if the step did not reach the point. */
  const inject = async (fault: Fault): Promise<boolean> => {
    const name = `${fault.stepName} / ${fault.target} / ${describePoint(fault.point)}`;
    try {
      const { isInjected, one } = await runAtPoint(scene, fault);
      cases.push(one);
      (isInjected ? report.injected : report.missed).push(name);
      say(`${isInjected ? 'injected' : 'missed'} ${name}`);
      return isInjected;
    } catch (error) {
      report.broken.push(`${name}: ${error}`);
      say(`BROKEN ${name}: ${error}`);
      return true;
    }
  };
  for (const fault of faults.toSorted((a, b) => ORDER.indexOf(a.target) - ORDER.indexOf(b.target))) {
    let isInjected = await inject(fault);
    for (let tries = 1; sample && !isInjected && tries < TRIES; tries += 1)
      isInjected = await inject({ ...fault, point: random.pick(pointsOf.get(fault.stepName)!) });
  }
  await scene.system.ready();
  report.broken.push(...(await findBroken(scene, cases)));
  return report;
}

/** Maximum number of points that a sample tries for one fault. */
const TRIES = 6;

const STEP_NAMES = Object.keys(STEPS) as StepName[];

function sampleTargets(random: Random, sample: NonNullable<FaultChoice['sample']>): Map<StepName, readonly Target[]> {
  const targets = () => random.shuffled(TARGETS);
  if (sample === 'one a target') {
    const steps = random.shuffled(STEP_NAMES);
    return new Map(targets().map((target, index) => [steps[index]!, [target]]));
  }
  const pairs = Array.from({ length: STEP_NAMES.length / 2 }, targets).flatMap((all) => [all.slice(0, 2), all.slice(2)]);
  return new Map(STEP_NAMES.map((stepName, index) => [stepName, pairs[index]!]));
}

function faultOf(stepName: StepName, target: Target, point: Point, random: Random): Fault {
  return { stepName, target, point, variant: random.below(6) };
}
