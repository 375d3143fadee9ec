import { openSandbox, type Sandbox } from '../../../sandbox/open-sandbox.ts';
import { returned } from '../a-sandbox.ts';
import { startBystander } from './bystander.ts';
import { type HostState, readHostState } from './host-state.ts';
import type { HostileProgram } from './hostile-program.ts';
import { inLanes } from './in-lanes.ts';
import { HOSTILE_PROGRAMS } from './programs/all.ts';
import { runContained } from './run-contained.ts';

/** The short form: small limits, so that what takes all it can get is soon at the end of it. `npm run chaos -- --parts hostile` is the long one. */
const MEMORY_MB = 16;
const LANES = 3;
const GENEROUS = { timeMs: 40_000, memoryMb: MEMORY_MB };
const SCANT = { timeMs: 400, memoryMb: MEMORY_MB };
const onLinux = process.platform === 'linux' ? test : test.skip;

let before: HostState;
let sandbox: Sandbox;
beforeAll(async () => {
  const silent = () => {};
  // What this process keeps for good once it has run code is there before it is measured.
  const first = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 0 });
  await returned(first, 'const a: number = 1; return a');
  await first.close();
  if (process.platform === 'linux') before = await readHostState();
  sandbox = openSandbox({ logger: { warn: silent, error: silent }, poolSize: 2, memoryMb: MEMORY_MB });
});
afterAll(() => sandbox.close());

test.each(Object.entries(HOSTILE_PROGRAMS))(
  '%s: each program ends in time as it must and shows nothing of the host, and another run notices nothing',
  async (_kind, programs) => {
    const bystander = startBystander(sandbox, { ...GENEROUS, timeMs: 120_000 });
    const problems = await inLanes(LANES, programs, async (program) => {
      const found = await runContained(sandbox, program, limitsOf(program));
      bystander.step();
      return found;
    });
    expect([...problems, ...(await bystander.end())]).toEqual([]);
  },
  120_000,
);

test('no two programs try the same', () => {
  const all = Object.values(HOSTILE_PROGRAMS).flat();
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
});

onLinux('after all of them no process and no descriptor is left, the memory of the host is back, and runs work', async () => {
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
