import { openSandbox, type Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { seeded } from '../../chaos/random.ts';
import { extent } from '../../support/extent.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { returned } from '../a-sandbox.ts';
import { startBystander } from './bystander.ts';
import { type HostState, readHostState } from './host-state.ts';
import type { HostileProgram } from './hostile-program.ts';
import { HOSTILE_PROGRAMS } from './programs/all.ts';
import { runContained } from './run-contained.ts';

/**
 * The short form, with small limits so that greedy programs reach them soon. `npm run chaos --
 * --parts hostile` runs the long form.
 */
const MEMORY_MB = 16;
const LANES = 3;
const GENEROUS = { timeMs: 40_000, memoryMb: MEMORY_MB };
const SCANT = { timeMs: 400, memoryMb: MEMORY_MB };
/** Programs per kind. `npm run chaos` runs all of them. */
const PROGRAMS_OF_A_KIND = extent({ whole: Number.POSITIVE_INFINITY, sample: 4 });
const seed = Date.now() % 2 ** 31;
const onLinux = process.platform === 'linux' ? test : test.skip;

let before: HostState;
let sandbox: Sandbox;
beforeAll(async () => {
  const silent = () => {};
  // Warm up first: memory that the first run allocates for good is not counted.
  const first = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 0 });
  await returned(first, 'const a: number = 1; return a');
  await first.close();
  if (process.platform === 'linux') before = await readHostState();
  sandbox = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 2, memoryMb: MEMORY_MB });
});
afterAll(() => sandbox.close());

const chosen = Object.entries(HOSTILE_PROGRAMS).map(
  ([kind, programs]) => [kind, seeded(seed).shuffled(programs).slice(0, PROGRAMS_OF_A_KIND)] as const,
);

test.each(chosen)(
  `%s (seed ${seed}): each program ends in time and as expected, learns nothing about the host, and does not disturb another run`,
  async (_kind, programs) => {
    const bystander = startBystander(sandbox, { ...GENEROUS, timeMs: 120_000 });
    const problems = await inParallel(programs, LANES, async (program) => {
      const found = await runContained(sandbox, program, limitsOf(program));
      bystander.step();
      return found;
    });
    expect([...problems.flat(), ...(await bystander.end())]).toEqual([]);
  },
  120_000,
);

test('no two programs try the same', () => {
  const all = Object.values(HOSTILE_PROGRAMS).flat();
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
});

onLinux("afterwards no process and no descriptor is left, the host's memory is back, and runs work", async () => {
  expect(await returned(sandbox, 'return 1')).toBe(1);
  await sandbox.close();
  const after = await readHostState();
  expect(after.descendants).toBe(before.descendants);
  expect(after.openFiles).toBeLessThanOrEqual(before.openFiles + 2);
  expect(after.neededMb).toBeLessThan(before.neededMb + 32);
  expect(after.treeMb).toBeLessThan(before.treeMb + 200);
});

function limitsOf({ ends }: HostileProgram): typeof SCANT {
  return Array.isArray(ends) && ends.includes('CODE_TIMEOUT') ? SCANT : GENEROUS;
}
