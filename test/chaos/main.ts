import { randomInt, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runHostile } from '../sandbox/hostile/run-hostile.ts';
import { describePoint } from './fault-injector.ts';
import { type Fault, runFaults } from './fault-rounds.ts';
import { PROGRAMS } from './programs/index.ts';
import { race } from './race.ts';
import { seeded } from './random.ts';
import { restartWhilePending } from './restart-of-everything.ts';
import { breakRuns, countBoundaries, describeFault, faultsOf } from './run-rounds.ts';
import { openRunScene } from './run-scene.ts';
import { RUN_TARGETS } from './run-watch.ts';
import { openScene, type Scene } from './scene.ts';

const USAGE = `npm run chaos: the long form of the fault injection tests.
They check that approved calls and calls of code run once, and that nothing is lost. They kill each part of the system
at every point of every step of an approval, and one part at every boundary in the journal of every program. They race
decisions and retries, restart everything while a thousand approvals are pending, and run hostile programs, alone and
in pairs.
The exit code is 1 if a check failed.

  --seed N            the seed of all random choices; the seed is printed
  --only WORDS        tries only faults whose name contains all of these words, separated by commas.
                      Without --parts, runs only the part \`faults\`.
                      Names are \`step / target / point\` and, for code runs, \`program / target / boundary\`.
  --rounds N          rounds of the race (200) and of hostile programs (2)
                      and over all boundaries of code runs (1, or 5 with --only); each round has another target
  --minutes N         starts no more faults of code runs after this many minutes (600)
  --pending N         number of approvals that are pending during the restart (1000)
  --parts a,b         runs only these parts: faults, races, restart, code-runs, hostile`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    only: { type: 'string' },
    rounds: { type: 'string' },
    minutes: { type: 'string', default: '600' },
    pending: { type: 'string', default: '1000' },
    parts: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const seed = Number(values.seed);
const parts = (values.parts ?? (values.only ? 'faults' : 'faults,races,restart,code-runs,hostile')).split(',');
const startedAt = Date.now();
const say = (line: string) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);

const PARTS: Record<string, (scene: Scene) => Promise<string[]>> = {
  async faults(scene) {
    const words = (values.only ?? '').split(',');
    const only = (fault: Fault) => words.every((word) => nameOf(fault).includes(word.trim()));
    const { points, injected, missed, broken } = await runFaults(scene, { seed, only, say });
    const rows = Object.entries(points).map(([step, count]) => [step, countsOf(step, count, injected, missed)]);
    console.table(Object.fromEntries(rows));
    return broken;
  },
  async races(scene) {
    const random = seeded(seed);
    const endings = new Map<string, number>();
    const broken: string[] = [];
    for (let round = 1; round <= Number(values.rounds ?? 200); round += 1) {
      const manner = random.pick(['ask', 'ask', 'race that expires', 'race that rejects'] as const);
      const { ended, problems } = await race(scene, random, randomUUID(), manner);
      endings.set(ended, (endings.get(ended) ?? 0) + 1);
      broken.push(...problems.map((problem) => `race ${round} (${manner}): ${problem}`));
      if (round % 20 === 0) say(`${round} races`);
    }
    console.table(Object.fromEntries(endings));
    return broken;
  },
  restart: (scene) => restartWhilePending(scene, Number(values.pending)),
  async 'code-runs'({ system }) {
    const words = (values.only ?? '').split(',').map((word) => word.trim());
    const named = PROGRAMS.filter(({ name }) => words.includes(name));
    const programs = named.length > 0 ? named : PROGRAMS;
    const scene = await openRunScene(system);
    try {
      const counted = await countBoundaries(scene, programs, say);
      const all = faultsOf(counted, { seed, rounds: Number(values.rounds ?? (values.only ? RUN_TARGETS.length : 1)) });
      const faults = all.filter((fault) => words.every((word) => describeFault(fault).includes(word)));
      say(`${faults.length} kills at boundaries of ${programs.length} programs`);
      const { injected, missed, left, broken } = await breakRuns(scene, faults, {
        say,
        until: Date.now() + Number(values.minutes) * 60_000,
      });
      for (const fault of missed) say(`not reached: ${describeFault(fault)}`);
      console.table({ injected: injected.length, 'not reached': missed.length, 'not tried': left });
      return broken;
    } finally {
      await scene.close();
    }
  },
  hostile: () => runHostile({ seed, say, ...(values.rounds && { rounds: Number(values.rounds) }) }),
};

say(`seed ${seed}`);
const scene = await openScene();
const broken: string[] = [];
try {
  for (const part of parts) {
    say(`${part} …`);
    broken.push(...(await PARTS[part]!(scene)));
  }
} finally {
  await scene.close();
}
for (const line of broken) say(`BROKEN ${line}`);
say(broken.length === 0 ? `all checks passed; seed ${seed}` : `${broken.length} checks failed; seed ${seed}`);
process.exit(broken.length === 0 ? 0 : 1);

function nameOf({ stepName, target, point }: Fault): string {
  return `${stepName} / ${target} / ${describePoint(point)}`;
}

function countsOf(step: string, points: number, injected: string[], missed: string[]) {
  const of = (names: string[]) => names.filter((name) => name.startsWith(`${step} /`)).length;
  return { points, injected: of(injected), 'not reached': of(missed) };
}
