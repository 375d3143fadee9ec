import { randomInt, randomUUID } from 'node:crypto';
import { extent } from '../support/extent.ts';
import { workflowBundlePath } from '../support/system.ts';
import { until } from '../support/until.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { TARGETS } from './fault-injector.ts';
import { runFaults } from './fault-rounds.ts';
import { runAtPoint } from './fault-run.ts';
import { findBroken } from './invariants.ts';
import { PROGRAMS } from './programs/index.ts';
import { race } from './race.ts';
import { seeded } from './random.ts';
import { restartWhilePending } from './restart-of-everything.ts';
import { breakRuns, countBoundaries, sampleOf } from './run-rounds.ts';
import { openRunScene } from './run-scene.ts';
import { RUN_TARGETS } from './run-watch.ts';
import { openScene, type Scene } from './scene.ts';
import { STEPS } from './steps.ts';

/** A short form of `npm run chaos` (docs/decisions/0022). */
const seed = randomInt(1_000_000);
const FAULTS = extent({
  whole: { sample: 'two targets a step', count: Object.keys(STEPS).length * 2 } as const,
  sample: { sample: 'one a target', count: TARGETS.length } as const,
});
const MANNERS = extent({
  whole: ['ask', 'ask', 'race that expires', 'race that rejects'] as const,
  sample: [seeded(seed).pick(['ask', 'race that expires', 'race that rejects'] as const)],
});
const PENDING = extent({ whole: 100, sample: 12 });
const RUNS = extent({ whole: { programs: 10, each: 2 }, sample: { programs: 2, each: 1 } });
const TIMEOUT_MS = 400_000;

let scene: Scene;
beforeAll(async () => {
  process.stdout.write(`chaos: seed ${seed}\n`);
  scene = await openScene({ bundle: await workflowBundlePath() });
}, TIMEOUT_MS);
afterAll(() => scene?.close(), TIMEOUT_MS);

test(
  'a kill at any step of an approval loses no decision or delivery and repeats no call',
  async () => {
    const { broken, injected } = await runFaults(scene, { seed, sample: FAULTS.sample });
    expect(broken).toEqual([]);
    expect(injected.length).toBe(FAULTS.count);
  },
  TIMEOUT_MS,
);

test(
  'concurrent decisions and retries have one outcome and make at most one call',
  async () => {
    const random = seeded(seed);
    for (const manner of MANNERS) {
      const { problems } = await race(scene, random, randomUUID(), manner);
      expect(problems).toEqual([]);
    }
  },
  TIMEOUT_MS,
);

test(
  'approvals and their notifications survive a restart of everything',
  async () => {
    expect(await restartWhilePending(scene, PENDING)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'after any kill, a code run has each effect once or reports an unknown call',
  async () => {
    const runs = await openRunScene(scene.system);
    try {
      const counted = await countBoundaries(runs, seeded(seed).shuffled(PROGRAMS).slice(0, RUNS.programs));
      const { faults, another } = sampleOf(counted, { seed, each: RUNS.each });
      const { broken, injected } = await breakRuns(runs, faults, { another });
      expect(broken).toEqual([]);
      expect(injected.length).toBe(RUNS.each * RUN_TARGETS.length);
    } finally {
      await runs.close();
    }
  },
  TIMEOUT_MS,
);

test.each([
  ['while the third party processes the call, the API', 'api', { wire: 'effect', label: 'action', nth: 1, side: 'after' }, 'unknown'],
  ['after the admission is committed, Postgres', 'postgres', { wire: 'postgres', label: 'commit', nth: 1, side: 'after' }, 'not made'],
] as const)(
  '%s is killed: the approved call is not repeated, and its caller learns the outcome',
  async (_, target, point, outcome) => {
    const { isInjected, one } = await runAtPoint(scene, { stepName: 'consume', target, point, variant: 0 });
    expect([isInjected, one.outcome]).toEqual([true, outcome]);
    expect(await findBroken(scene, [one])).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a call is not marked unknown while its process waits for the database',
  async () => {
    const answered = Promise.withResolvers<void>();
    scene.world.answerAfter(answered.promise);
    const one: Case = { name: randomUUID(), manner: 'ask', title: 'a call of a running process' };
    await ask(scene, one);
    await decide(scene, one, 'approve');
    const [first, again] = [make(scene, one), { ...one }];
    await until(() => scene.world.effectsOf(one.name) > 0);
    await scene.system.parts.postgres.kill();
    await scene.system.ready();
    const second = make(scene, again);
    await scene.system.parts.postgres.kill();
    await scene.system.ready();
    answered.resolve();
    await Promise.all([first, second]);
    expect([one.outcome, again.outcome]).toEqual(['ran', 'ran']);
    expect(await findBroken(scene, [one])).toEqual([]);
  },
  TIMEOUT_MS,
);
