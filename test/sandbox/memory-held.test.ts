import { readFileSync } from 'node:fs';
import { confinementsFor } from '../../sandbox/host/confinement.ts';
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { launchRunner, type Runner } from '../../sandbox/host/launch-runner.ts';
import { dataLimitMb, growthLimits, RUNNER_DATA_MB } from '../../sandbox/host/runner-memory.ts';
import { innermostProcess } from '../../sandbox/host/runner-process.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';
import { startTightest } from '../../sandbox/host/start-tightest.ts';
import { anEchoHost, aRequest } from './a-sandbox.ts';

const MEMORY_MB = 128;
/** How far `growthMaxMb` may exceed the memory limit, in MB. */
const WITHIN_MB = 32;
const onLinux = process.platform === 'linux' ? describe : describe.skip;
const program = loadRunnerProgram();
const candidates = confinementsFor(process.platform, process.getuid?.() === 0);
const limits = { timeMs: 60_000, memoryMb: MEMORY_MB };

onLinux('a program of a run with 128 MB', () => {
  const launchTightest = async () =>
    (await startTightest(candidates, (confinement) => launchRunner({ program, confinement, memoryMb: MEMORY_MB }))).runner;

  test.each([
    ['makes 30 million numbers in one call', "return JSON.parse('[' + '1,'.repeat(3e7) + '1]').length"],
    ['makes 20 million numbers in one call', "return JSON.parse('[' + '1,'.repeat(2e7) + '1]').length"],
    [
      'makes 30 million numbers and then calls',
      "const n = JSON.parse('[' + '1,'.repeat(3e7) + '1]').length; await svc.echo.say({ n }); return n",
    ],
    ['fills one array', 'return new Array(3e7).fill(1).length'],
    ['makes one array from a function', 'return Array.from({ length: 3e7 }, (_, i) => i).length'],
    ['joins arrays', 'const a = new Array(1e7).fill(1); return [].concat(a, a, a).length'],
    ['makes a text flat', 'const s = "€".repeat(1e8); return s.charCodeAt(5e7) + s.indexOf("y")'],
    ['joins a text', 'return new Array(2.5e7).join("abcdefgh").length'],
    [
      'resizes a buffer',
      'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 28 }); b.resize(2 ** 28); return new Uint8Array(b).fill(1).length',
    ],
    ['multiplies', 'const n = 1n << 1000000000n; return String(n * 3n > n)'],
    ['compares texts', 'return "é".repeat(5e7).localeCompare("é".repeat(5e7))'],
    ['normalizes a text', 'return "\\u1E9B\\u0323".repeat(2e7).normalize("NFD").length'],
    ['logs a text', 'console.log("x".repeat(2e8)); return 1'],
    ['clones', 'const a = new Array(1.2e7).fill(1); return structuredClone(structuredClone(a)).length'],
    [
      'takes a little more between waits',
      'const all = []; for (let i = 0; i < 300; i++) { all.push(new Array(125_000).fill(i)); await null; } return all.length',
    ],
  ])(
    'that %s ends as CODE_MEMORY and exceeds the limit only a little',
    async (_what, code) => {
      const runner = await launchTightest();
      const pid = await innermostProcess(runner.pid);
      const atRest = peakMb(pid)!;
      let held = 0;
      const watch = setInterval(() => {
        held = Math.max(held, (peakMb(pid) ?? 0) - atRest);
      }, 2);
      const result = await driveRunner(runner, aRequest(code, { limits }), anEchoHost());
      clearInterval(watch);
      expect(result).toMatchObject({ error: { code: 'CODE_MEMORY' } });
      expect(held).toBeLessThanOrEqual(MEMORY_MB + WITHIN_MB + OVERSHOOT_MB);
      await runner.exited;
    },
    120_000,
  );

  test.each([
    ['100 MB of buffers', 'const all = []; for (let i = 0; i < 100; i++) all.push(new Uint8Array(1e6).fill(i)); return all.length', 100],
    ['100 MB of arrays', 'const all = []; for (let i = 0; i < 100; i++) all.push(new Array(125_000).fill(i)); return all.length', 100],
    [
      '90 MB that are kept while gigabytes are released',
      'const all = []; for (let i = 0; i < 90; i++) all.push(new Array(125_000).fill(i)); let n = 0; for (let i = 0; i < 500; i++) n += new Array(125_000).fill(i).length; return n',
      62_500_000,
    ],
    ['100 MB of address space without use', 'return new ArrayBuffer(1e8).byteLength', 1e8],
    [
      'the answers of 10 concurrent calls of 1 MB',
      'return (await Promise.all(Array.from({ length: 10 }, (_, i) => svc.echo.say({ a: "x".repeat(1_000_000) + i })))).length',
      10,
    ],
  ])(
    'can use %s',
    async (_what, code, value) => {
      const result = await driveRunner(await launchTightest(), aRequest(code, { limits }), anEchoHost());
      expect(result).toMatchObject({ kind: 'returned', value: String(value) });
    },
    120_000,
  );

  test('the data segment of an idle runner is within RUNNER_DATA_MB', async () => {
    const runner = await launchTightest();
    const status = readFileSync(`/proc/${await innermostProcess(runner.pid)}/status`, 'latin1');
    runner.kill();
    // While code runs, the data segment contains 24 MB more that are not resident: a stack and the
    // engine's reserves.
    expect(Number(/^VmData:\s+(\d+)/m.exec(status)![1]) / 1024 + 24).toBeLessThan(RUNNER_DATA_MB);
  });
});

test('the limit also holds for a runner that starts while the service holds much memory', async () => {
  const bare = candidates.find(({ hasOwnRoot, hasResourceLimits }) => !hasOwnRoot && hasResourceLimits)!;
  const held = Buffer.alloc(400 * 1024 * 1024, 1);
  const runners: Runner[] = [];
  for (let n = 0; n < 2; n += 1)
    runners.push(await launchRunner({ program, confinement: bare, memoryMb: MEMORY_MB }).catch(() => launchBare()));
  const code = 'const all = []; for (let i = 0; i < 300; i++) { all.push(new Array(125_000).fill(i)); await null; } return all.length';
  expect(await driveRunner(runners[0]!, aRequest(code, { limits }), anEchoHost())).toMatchObject({ error: { code: 'CODE_MEMORY' } });
  expect(await driveRunner(runners[1]!, aRequest('return 1', { limits }), anEchoHost())).toMatchObject({ kind: 'returned' });
  expect(held.length).toBeGreaterThan(0);
});

test('the memory limit lies between nearlyFullMb and growthMaxMb, for small and large limits', () => {
  for (const memoryMb of [16, 128, 2048]) {
    const { nearlyFullMb, growthMaxMb } = growthLimits(memoryMb);
    expect(nearlyFullMb).toBeLessThan(memoryMb);
    expect(growthMaxMb).toBeGreaterThan(memoryMb);
    expect(growthMaxMb).toBeLessThanOrEqual(memoryMb + WITHIN_MB);
    expect(dataLimitMb(memoryMb)).toBe(growthMaxMb + RUNNER_DATA_MB);
  }
});

/** Between two checks by the runner, one native call can use the unused part of RUNNER_DATA_MB. */
const OVERSHOOT_MB = 16;

function launchBare(): Promise<Runner> {
  const bare = candidates.find(({ hasOwnRoot, hasNoPrivileges, hasCallFilter }) => !hasOwnRoot && !hasNoPrivileges && !hasCallFilter)!;
  return launchRunner({ program, confinement: bare, memoryMb: MEMORY_MB });
}

function peakMb(pid: number): number | undefined {
  try {
    const [, kb] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
