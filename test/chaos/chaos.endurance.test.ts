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

/**
 * The short form of `npm run chaos`, and a sample of it. It uses the same seed
 * (docs/decisions/0022).
 */
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
  'kills between request and consumption never cause two effects, a lost decision or delivery, or a stuck approval',
  async () => {
    const { broken, injected } = await runFaults(scene, { seed, sample: FAULTS.sample });
    expect(broken).toEqual([]);
    expect(injected.length).toBe(FAULTS.count);
  },
  TIMEOUT_MS,
);

test(
  'fifty deciders and fifty concurrent retries: one winner, correct refusals, one effect, one outcome',
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
  'approvals that are pending while everything restarts expire or are decided correctly, with every notification',
  async () => {
    expect(await restartWhilePending(scene, PENDING)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'code runs killed at journal boundaries: each effect once or reported as unknown, with the output of an undisturbed run',
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
  ['the API, while the third party processes the call', 'api', { wire: 'effect', label: 'action', nth: 1, side: 'after' }, 'unknown'],
  ['Postgres, after it committed the admission', 'postgres', { wire: 'postgres', label: 'commit', nth: 1, side: 'after' }, 'not made'],
] as const)(
  'an approved call that is interrupted by a kill is not repeated, and its caller is told so: %s',
  async (_, target, point, outcome) => {
    const { isInjected, one } = await runAtPoint(scene, { stepName: 'consume', target, point, variant: 0 });
    expect([isInjected, one.outcome]).toEqual([true, outcome]);
    expect(await findBroken(scene, [one])).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a call whose process lives is never marked unknown, even if its process loses the database meanwhile',
  async () => {
    const answered = Promise.withResolvers<void>();
    scene.world.answerAfter(answered.promise);
    const one: Case = { name: randomUUID(), manner: 'ask', title: 'a living call' };
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
