/**
 * node bench/sandbox-pass.ts: time and processor time of a pass, and memory of a waiting runner.
 */
import { readFileSync } from 'node:fs';
import { confinementsFor } from '../sandbox/host/confinement.ts';
import { launchRunner } from '../sandbox/host/launch-runner.ts';
import { openSandbox } from '../sandbox/host/open-sandbox.ts';
import type { PassHost } from '../sandbox/host/pass.ts';
import { innermostProcess } from '../sandbox/host/runner-process.ts';
import { loadRunnerProgram } from '../sandbox/host/runner-program.ts';
import { readRunnable } from '../sandbox/reader/read-code.ts';
import { treeOf } from './processes.ts';

const ROUNDS = 15;
const COUNTED_PASSES = 100;
const PROGRAMS = {
  'return 1': 'return 1',
  '10 calls answered at once': 'for (let i = 0; i < 10; i++) await svc.echo.say({ i })',
};

const silent = () => {};
const logger = { info: silent, warn: silent, error: silent } as never;

for (const [name, code] of Object.entries(PROGRAMS)) {
  const rows = { 'runner kept': [] as number[], 'runner ready': [] as number[], 'runner to start': [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const sandboxes = {
      'runner kept': openSandbox({ logger }),
      'runner ready': openSandbox({ logger, keptMost: 0 }),
      'runner to start': openSandbox({ logger, keptMost: 0, poolSize: 0 }),
    };
    for (const [row, sandbox] of Object.entries(sandboxes)) {
      await pass(sandbox, 'return 0');
      await pause(300);
      rows[row as keyof typeof rows].push(await pass(sandbox, code));
      await sandbox.close();
    }
  }
  for (const [row, values] of Object.entries(rows)) console.log(`${name}, ${row}: ${median(values).toFixed(1)} ms`);
}

for (const [setting, keptMost] of Object.entries({ principal: 4, never: 0 })) {
  const sandbox = openSandbox({ logger, keptMost });
  await pass(sandbox, 'return 0');
  const before = processorMs();
  for (let count = 0; count < COUNTED_PASSES; count++) await pass(sandbox, 'return 1');
  await sandbox.close();
  console.log(`SANDBOX_REUSE=${setting}: ${((processorMs() - before) / COUNTED_PASSES).toFixed(1)} ms of a core for each pass`);
}

const runner = await launchRunner({
  program: loadRunnerProgram(),
  confinement: confinementsFor(process.platform, process.getuid?.() === 0)[0]!,
  memoryMb: 128,
});
await pause(300);
console.log(
  `waiting runner: ${readFileSync(`/proc/${await innermostProcess(runner.pid)}/smaps_rollup`, 'utf8')
    .match(/^(Rss|Pss|Private_Dirty):.*/gm)
    ?.join(', ')
    .replace(/\s+/g, ' ')}`,
);
runner.kill();

/** Processor time of this process and its descendants, including ended ones. */
function processorMs(): number {
  return treeOf(process.pid).reduce((sum, { ms, endedMs }) => sum + ms + endedMs, 0);
}

async function pass(sandbox: ReturnType<typeof openSandbox>, code: string): Promise<number> {
  let asked = 0;
  const host: PassHost = { onEvents: silent, nextCompletion: async () => ({ number: asked++, now: 0, ok: true, value: '{}' }) };
  const start = performance.now();
  await sandbox.runPass(
    {
      principal: { orgId: 'o', workspaceId: 'w', endUserId: null },
      program: readRunnable(code, 'svc'),
      surface: { echo: ['say'] },
      seed: '',
      startedAt: 0,
      limits: { timeMs: 10_000, memoryMb: 128 },
    },
    host,
  );
  return performance.now() - start;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!;
}
