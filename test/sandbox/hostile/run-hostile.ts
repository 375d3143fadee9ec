import { openSandbox, type Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { seeded } from '../../chaos/random.ts';
import { returned } from '../a-sandbox.ts';
import { startBystander } from './bystander.ts';
import { type HostState, readHostState } from './host-state.ts';
import type { HostileProgram } from './hostile-program.ts';
import { HOSTILE_PROGRAMS } from './programs/all.ts';
import { runContained } from './run-contained.ts';

/** How much to run, and where to report. */
export interface HostileOptions {
  /** Seed of the random pairs. */
  seed: number;
  say(line: string): void;
  /** How often each program runs alone. */
  rounds?: number;
  /** How many random pairs run. */
  pairs?: number;
  /** Time limit of one run, in seconds. */
  seconds?: number;
}

const MEMORY_MB = 128;
const KEPT_MOST = 2;
/** Time in ms within which the host must return to its initial state. */
const SETTLE_MS = 10_000;

/**
 * The long form of hostile.endurance.test.ts: every program repeatedly, then random pairs. Returns
 * a sentence for each problem.
 */
export async function runHostile(options: HostileOptions): Promise<string[]> {
  const broken: string[] = [];
  for (const keptMost of [KEPT_MOST, 0]) {
    options.say(`hostile programs with at most ${keptMost} kept processes`);
    broken.push(...(await runWith(keptMost, options)));
  }
  return broken;
}

async function runWith(keptMost: number, { seed, say, rounds = 2, pairs = 100, seconds = 10 }: HostileOptions): Promise<string[]> {
  const limits = { timeMs: seconds * 1000, memoryMb: MEMORY_MB };
  const silent = () => {};
  const sandbox = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 2, keptMost });
  const random = seeded(seed);
  const all = Object.values(HOSTILE_PROGRAMS).flat();
  const sets = [
    ...Array.from({ length: rounds }, () => all.map((program) => [program])).flat(),
    ...Array.from({ length: pairs }, () => [random.pick(all), random.pick(all)]),
  ];
  const broken: string[] = [];
  try {
    await runSet(sandbox, [all[0]!], limits);
    const before = await readHostState();
    for (const [index, programs] of sets.entries()) {
      const problems = [...(await runSet(sandbox, programs, limits)), ...(await unsettled(before, programs, keptMost))];
      for (const problem of problems) say(`NOT CONTAINED ${problem}`);
      broken.push(...problems);
      if ((index + 1) % 50 === 0) say(`${index + 1} of ${sets.length} sets of hostile programs`);
    }
  } finally {
    await sandbox.close();
  }
  return broken;
}

async function runSet(sandbox: Sandbox, programs: HostileProgram[], limits: { timeMs: number; memoryMb: number }): Promise<string[]> {
  const bystander = startBystander(sandbox, { ...limits, timeMs: limits.timeMs * 2 + 60_000 });
  const problems = await Promise.all(programs.map((program) => runContained(sandbox, inTime(program), limits)));
  bystander.step();
  const noticed = await bystander.end();
  const next = await returned(sandbox, 'return (await svc.echo.say({ a: 1 })).a').then(
    (value) => (value === 1 ? [] : [`the next run returned ${value}`]),
    (error: Error) => [`the next run: ${error.message}`],
  );
  return [...problems.flat(), ...noticed, ...next];
}

/** Allows CODE_TIMEOUT: a program may reach its deadline before it fills MEMORY_MB. */
function inTime(program: HostileProgram): HostileProgram {
  const { ends } = program;
  return Array.isArray(ends) && ends.includes('CODE_MEMORY') ? { ...program, ends: [...ends, 'CODE_TIMEOUT'] } : program;
}

async function unsettled(before: HostState, programs: HostileProgram[], keptMost: number): Promise<string[]> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const now = await readHostState();
    const over = [
      // Each kept runner has two processes and three pipes. One more runner may be starting.
      ...(now.descendants > before.descendants + 3 + 2 * keptMost ? [`${now.descendants} processes`] : []),
      ...(now.openFiles > before.openFiles + 12 + 3 * keptMost ? [`${now.openFiles} open files`] : []),
      ...(now.neededMb > before.neededMb + 64 ? [`${now.neededMb} MB needed`] : []),
      ...(now.treeMb > before.treeMb + 400 ? [`${now.treeMb} MB held`] : []),
    ];
    if (over.length === 0) return [];
    if (performance.now() > until)
      return [`after ${programs.map(({ what }) => what).join(' and ')}: ${over.join(', ')}, before ${JSON.stringify(before)}`];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
