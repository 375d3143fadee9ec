import { setTimeout as delay } from 'node:timers/promises';
import { inTurns } from './in-turns.ts';
import type { Program } from './programs/program.ts';
import { seeded } from './random.ts';
import { playCaller, type RunCase } from './run-caller.ts';
import { judgeRun, type RunRecord, readRun } from './run-judge.ts';
import type { RunScene } from './run-scene.ts';
import { type Ambush, type Boundary, describeBoundary, newRunName, RUN_TARGETS, type RunTarget } from './run-watch.ts';

/** What a program does when nothing is killed. */
export interface Counted {
  program: Program;
  boundaries: Boundary[];
  record: RunRecord;
}

export interface RunFault {
  counted: Counted;
  boundary: Boundary;
  target: RunTarget;
}

export interface RunFaultReport {
  struck: RunFault[];
  /** To which the run did not come, or only while something else was coming back. */
  missed: RunFault[];
  /** Not begun when the time was up. */
  left: number;
  broken: string[];
}

type Say = (line: string) => void;

/** Runs each program once with nothing killed, and writes down its boundaries and its end. Throws where it does not do what it says it does. */
export function countBoundaries(scene: RunScene, programs: readonly Program[], say: Say = () => {}): Promise<Counted[]> {
  return inTurns(programs, AT_ONCE_UNDISTURBED, async (program) => {
    const { one, boundaries } = await runOnce(scene, program, 'undisturbed');
    const problems = await judgeRun(scene, one);
    if (problems.length > 0) throw new Error(`${program.name}, undisturbed: ${problems.join('; ')}`);
    say(`${program.name}: ${boundaries.length} boundaries`);
    return { program, boundaries, record: await readRun(scene, one.codeRunId!) };
  });
}

const AT_ONCE_UNDISTURBED = 6;

/** Every boundary of every program once in each round, each with one target; in as many rounds as there are targets it meets them all. */
export function faultsOf(all: readonly Counted[], { seed, rounds }: { seed: number; rounds: number }): RunFault[] {
  const random = seeded(seed);
  const once = all.flatMap((counted) =>
    counted.boundaries.map((boundary) => ({ counted, boundary, first: random.below(RUN_TARGETS.length) })),
  );
  return Array.from({ length: rounds }, (_, round) =>
    random.shuffled(
      once.map(({ counted, boundary, first }) => ({ counted, boundary, target: RUN_TARGETS[(first + round) % RUN_TARGETS.length]! })),
    ),
  ).flat();
}

/** So many faults with each target as the seed chooses, but for those that are told of in minutes: a run that its API died with before it began. */
export function sampleOf(all: readonly Counted[], { seed, each }: { seed: number; each: number }): RunFault[] {
  const random = seeded(seed);
  const isSlow = ({ boundary, target }: RunFault) => target === 'api' && /insert into code_runs|StartWorkflow/.test(boundary.label);
  const pick = (target: RunTarget): RunFault => {
    const counted = random.pick(all);
    const fault = { counted, target, boundary: random.pick(counted.boundaries) };
    return isSlow(fault) ? pick(target) : fault;
  };
  return SLOW_FIRST.flatMap((target) => Array.from({ length: each }, () => pick(target)));
}

/** A worker that dies is missed after ten seconds. */
const SLOW_FIRST: readonly RunTarget[] = ['worker', 'temporal', 'postgres', 'runner', 'api'];

/** So many runs wait for their blow; many more are just getting over one, or live through those of others. */
const ARMED_AT_ONCE = 3;
const RUNS_AT_ONCE = 24;
const TRIES = 3;

/**
 * Takes each fault in a run of its own, many runs at a time: what is killed at a boundary of one is killed for all that are under way. Every one of
 * them must come out right.
 */
export async function breakRuns(
  scene: RunScene,
  faults: readonly RunFault[],
  { say = () => {}, until = Number.POSITIVE_INFINITY }: { say?: Say; until?: number } = {},
): Promise<RunFaultReport> {
  const report: RunFaultReport = { struck: [], missed: [], left: 0, broken: [] };
  const queue = faults.map((fault) => ({ fault, tries: 0 }));
  const underWay = new Set<Promise<void>>();
  let armed = 0;

  const take = async (entry: (typeof queue)[number]): Promise<void> => {
    const { fault } = entry;
    const story = describeFault(fault);
    let isArmed = true;
    let isStruck = false;
    const disarm = () => {
      armed -= isArmed ? 1 : 0;
      isArmed = false;
    };
    const strike = async () => {
      isStruck = await scene.strike(fault.target);
      disarm();
      return isStruck;
    };
    const { program, record } = fault.counted;
    const problems = await runOnce(scene, program, story, { boundary: fault.boundary, target: fault.target, strike })
      .finally(disarm)
      .then(({ one }) => judgeRun(scene, one, record).then((found) => found.map((problem) => `${one.codeRunId}: ${problem}`)))
      .catch((error) => [String(error)]);
    report.broken.push(...problems.map((problem) => `${story}: ${problem}`));
    entry.tries += 1;
    if (isStruck) report.struck.push(fault);
    else if (entry.tries < TRIES) queue.push(entry);
    else report.missed.push(fault);
    for (const problem of problems) say(`BROKEN ${story}: ${problem}`);
    if (isStruck) say(`${report.struck.length}/${faults.length} ${story}`);
  };

  while (queue.length + underWay.size > 0) {
    while (queue.length > 0 && armed < ARMED_AT_ONCE && underWay.size < RUNS_AT_ONCE && Date.now() < until) {
      armed += 1;
      const work: Promise<void> = take(queue.shift()!).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    if (underWay.size === 0) break;
    await Promise.race([...underWay, delay(50)]);
  }
  report.left = queue.length;
  return report;
}

export function describeFault({ counted, boundary, target }: RunFault): string {
  return `${counted.program.name} / ${target} / ${describeBoundary(boundary)}`;
}

async function runOnce(
  scene: RunScene,
  program: Program,
  story: string,
  ambush?: Ambush,
): Promise<{ one: RunCase; boundaries: Boundary[] }> {
  const one: RunCase = { name: newRunName(), program, story, startedAt: Date.now() };
  const { runWatch } = scene.system;
  runWatch.follow(one.name, ambush);
  let boundaries: Boundary[] = [];
  try {
    await playCaller(scene, one);
    if (!ambush) await delay(LAST_WORDS_MS);
  } finally {
    boundaries = runWatch.leave(one.name);
  }
  return { one, boundaries };
}

/** For the last words of the workflow after its caller was answered. */
const LAST_WORDS_MS = 300;
