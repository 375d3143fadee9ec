import { isDeepStrictEqual } from 'node:util';
import { openSandbox, type Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { seeded } from '../../chaos/random.ts';
import { extent } from '../../support/extent.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { returned, run } from '../a-sandbox.ts';
import { startBystander } from './bystander.ts';
import { type HostState, readHostState } from './host-state.ts';
import type { HostileProgram } from './hostile-program.ts';
import { HOSTILE_PROGRAMS } from './programs/all.ts';
import { runContained } from './run-contained.ts';
import { WORLD } from './world.ts';

/** A small memory limit, which greedy programs exceed soon. */
const MEMORY_MB = 16;
const LANES = 3;
const GENEROUS = { timeMs: 40_000, memoryMb: MEMORY_MB };
const SCANT = { timeMs: 400, memoryMb: MEMORY_MB };
const PROGRAMS_OF_A_KIND = extent({ whole: Number.POSITIVE_INFINITY, sample: 3 });
const seed = Date.now() % 2 ** 31;
const onLinux = process.platform === 'linux' ? test : test.skip;

const silent = () => {};

const chosen = Object.entries(HOSTILE_PROGRAMS).map(
  ([kind, programs]) => [kind, seeded(seed).shuffled(programs).slice(0, PROGRAMS_OF_A_KIND)] as const,
);

describe.each([
  ['in kept processes', 2 * LANES],
  ['in a process for each pass', 0],
])('%s', (_how, keptMost) => {
  let before: HostState;
  let sandbox: Sandbox;
  let untouched: unknown;
  beforeAll(async () => {
    // The first run allocates memory that stays, so one run precedes the measurement.
    const first = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 0 });
    untouched = await returned(first, WORLD);
    await first.close();
    if (process.platform === 'linux') before = await readHostState();
    sandbox = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 2, keptMost, memoryMb: MEMORY_MB });
  });
  afterAll(() => sandbox.close());

  test.each(chosen)(
    `%s (seed ${seed}): each program ends as expected and stays contained`,
    async (_kind, programs) => {
      const bystander = startBystander(sandbox, { ...GENEROUS, timeMs: 120_000 });
      const problems = await inParallel(programs, LANES, async (program) => {
        const found = await runContained(sandbox, program, limitsOf(program));
        bystander.step();
        const isUntouched = isDeepStrictEqual(await nextOf(sandbox), untouched);
        return isUntouched ? found : [...found, `${program.what}: the next run sees changed globals`];
      });
      expect([...problems.flat(), ...(await bystander.end())]).toEqual([]);
    },
    120_000,
  );

  onLinux('after all programs, processes, descriptors and memory are freed, and runs work', async () => {
    expect(await returned(sandbox, 'return 1')).toBe(1);
    await sandbox.close();
    const after = await readHostState();
    expect(after.descendants).toBe(before.descendants);
    expect(after.openFiles).toBeLessThanOrEqual(before.openFiles + 2);
    expect(after.neededMb).toBeLessThan(before.neededMb + 32);
    expect(after.treeMb).toBeLessThan(before.treeMb + 200);
  });
});

test('no two programs have the same description or the same code', () => {
  const all = Object.values(HOSTILE_PROGRAMS).flat();
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
});

async function nextOf(sandbox: Sandbox): Promise<unknown> {
  const result = await run(sandbox, WORLD, { limits: GENEROUS });
  return result.kind === 'returned' ? JSON.parse(result.value) : result;
}

function limitsOf({ ends }: HostileProgram): typeof SCANT {
  return Array.isArray(ends) && ends.includes('CODE_TIMEOUT') ? SCANT : GENEROUS;
}
