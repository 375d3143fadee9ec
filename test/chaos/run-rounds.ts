import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '../support/in-parallel.ts';
import type { Program } from './programs/program.ts';
import { seeded } from './random.ts';
import { playCaller, type RunCase } from './run-caller.ts';
import { judgeRun, type RunRecord, readRun } from './run-judge.ts';
import type { RunScene } from './run-scene.ts';
import { type Boundary, describeBoundary, type Injection, newRunName, RUN_TARGETS, type RunTarget } from './run-watch.ts';

/** The boundaries and the records of a run without faults. */
export interface Counted {
  program: Program;
  boundaries: Boundary[];
  record: RunRecord;
}

/** One fault: a target that is killed at a boundary of a program's run. */
export interface RunFault {
  counted: Counted;
  boundary: Boundary;
  target: RunTarget;
}

/** The results of all faults, and the problems that were found. */
export interface RunFaultReport {
  injected: RunFault[];
  /**
   * Faults that were not injected: the run did not reach the boundary, or a part was restarting.
   */
  missed: RunFault[];
  /** The number of faults that were still in the queue at the time limit. */
  left: number;
  broken: string[];
}

type Say = (line: string) => void;

/** Runs each program once without faults. Throws if a program does not behave as declared. */
export function countBoundaries(scene: RunScene, programs: readonly Program[], say: Say = () => {}): Promise<Counted[]> {
  return inParallel(programs, PARALLEL_UNDISTURBED, async (program) => {
    const { one, boundaries } = await runOnce(scene, program, 'undisturbed');
    const problems = await judgeRun(scene, one);
    if (problems.length > 0) throw new Error(`${program.name}, undisturbed: ${problems.join('; ')}`);
    say(`${program.name}: ${boundaries.length} boundaries`);
    return { program, boundaries, record: await readRun(scene, one.codeRunId!) };
  });
}

const PARALLEL_UNDISTURBED = 6;

/**
 * Each round has one fault for every boundary of every program. The next round kills another target
 * at each boundary.
 */
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

/** `another` chooses a fault at random, for the same target. */
export interface Sample {
  faults: RunFault[];
  another(missed: RunFault): RunFault;
}

/**
 * Chooses `each` faults per target. Leaves out kills of the API at the start of a run, which take
 * minutes to detect.
 */
export function sampleOf(all: readonly Counted[], { seed, each }: { seed: number; each: number }): Sample {
  const random = seeded(seed);
  const isSlow = ({ boundary, target }: RunFault) => target === 'api' && /insert into code_runs|StartWorkflow/.test(boundary.label);
  const pick = (target: RunTarget): RunFault => {
    const counted = random.pick(all);
    const fault = { counted, target, boundary: random.pick(counted.boundaries) };
    return isSlow(fault) ? pick(target) : fault;
  };
  return {
    faults: SLOW_FIRST.flatMap((target) => Array.from({ length: each }, () => pick(target))),
    another: ({ target }) => pick(target),
  };
}

/** Targets with slow recovery come first. */
const SLOW_FIRST: readonly RunTarget[] = ['worker', 'temporal', 'postgres', 'runner', 'api'];

/** Maximum number of armed runs. A run is armed until its kill is tried or the run ends. */
const ARMED_AT_ONCE = 16;
/**
 * The target changes only while fewer runs than this are armed, so that one kill affects several
 * runs.
 */
const ARMED_FEW = 3;
/** Larger than `ARMED_AT_ONCE`, because a run takes a long time to recover from a fault. */
const RUNS_AT_ONCE = 64;
/** Maximum number of runs that try the same fault. */
const TRIES = 5;
/** Maximum number of times that a sample replaces a fault. */
const OTHERS = 4;

/** Tries each fault in a separate run. The runs are concurrent, so a kill affects many of them. */
export async function breakRuns(
  scene: RunScene,
  faults: readonly RunFault[],
  { say = () => {}, until = Number.POSITIVE_INFINITY, another }: { say?: Say; until?: number; another?: Sample['another'] } = {},
): Promise<RunFaultReport> {
  const report: RunFaultReport = { injected: [], missed: [], left: 0, broken: [] };
  const queue = faults.map((fault) => ({ fault, tries: 0, others: 0 }));
  const underWay = new Set<Promise<void>>();
  let armed = 0;
  let armedTarget: RunTarget | undefined;
  let killed: RunTarget | undefined;
  const next = () => {
    if (underWay.size >= RUNS_AT_ONCE || Date.now() >= until) return undefined;
    const same = armed < ARMED_AT_ONCE ? queue.findIndex(({ fault }) => fault.target === armedTarget) : -1;
    if (same >= 0) return queue.splice(same, 1)[0];
    if (armed >= ARMED_FEW) return undefined;
    // Kills alternate between the parts, so that recovery has time.
    const other = queue.findIndex(({ fault }) => fault.target !== killed);
    const [entry] = queue.splice(Math.max(0, other), 1);
    armedTarget = entry?.fault.target;
    return entry;
  };

  const take = async (entry: (typeof queue)[number]): Promise<void> => {
    const { fault } = entry;
    const title = describeFault(fault);
    let isArmed = true;
    let isInjected = false;
    const disarm = () => {
      armed -= isArmed ? 1 : 0;
      isArmed = false;
    };
    const inject = async () => {
      isInjected = await scene.inject(fault.target);
      disarm();
      if (isInjected) [killed, armedTarget] = [fault.target, undefined];
      return isInjected;
    };
    const { program, record } = fault.counted;
    const problems = await runOnce(scene, program, title, { boundary: fault.boundary, target: fault.target, inject })
      .finally(disarm)
      .then(({ one }) => judgeRun(scene, one, record).then((found) => found.map((problem) => `${one.codeRunId}: ${problem}`)))
      .catch((error) => [String(error)]);
    report.broken.push(...problems.map((problem) => `${title}: ${problem}`));
    entry.tries += 1;
    if (isInjected) report.injected.push(fault);
    else if (entry.tries < TRIES) queue.push(entry);
    else if (another && entry.others < OTHERS) queue.push({ fault: another(fault), tries: 0, others: entry.others + 1 });
    else report.missed.push(fault);
    for (const problem of problems) say(`BROKEN ${title}: ${problem}`);
    if (isInjected) say(`${report.injected.length}/${faults.length} ${title}`);
  };

  while (queue.length + underWay.size > 0) {
    for (let entry = next(); entry; entry = next()) {
      armed += 1;
      const work: Promise<void> = take(entry).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    if (underWay.size === 0) break;
    await Promise.race([...underWay, delay(50)]);
  }
  report.left = queue.length;
  return report;
}

/** Describes a fault in one line, for reports. */
export function describeFault({ counted, boundary, target }: RunFault): string {
  return `${counted.program.name} / ${target} / ${describeBoundary(boundary)}`;
}

async function runOnce(
  scene: RunScene,
  program: Program,
  title: string,
  injection?: Injection,
): Promise<{ one: RunCase; boundaries: Boundary[] }> {
  const one: RunCase = { name: newRunName(), program, title, startedAt: Date.now() };
  const { runWatch } = scene.system;
  runWatch.follow(one.name, injection);
  let boundaries: Boundary[] = [];
  try {
    await playCaller(scene, one);
    if (!injection) await delay(FINAL_MESSAGES_MS);
  } finally {
    boundaries = runWatch.leave(one.name);
  }
  return { one, boundaries };
}

/** Time for the last messages of the workflow after the caller's answer. */
const FINAL_MESSAGES_MS = 300;
