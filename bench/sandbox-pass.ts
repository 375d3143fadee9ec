/** How long a pass takes and what a waiting runner costs: `node bench/sandbox-pass.ts`. */
import { readFileSync } from 'node:fs';
import { confinementsFor } from '../sandbox/host/confinement.ts';
import { launchRunner } from '../sandbox/host/launch-runner.ts';
import { openSandbox } from '../sandbox/host/open-sandbox.ts';
import type { PassHost } from '../sandbox/host/pass.ts';
import { loadRunnerProgram } from '../sandbox/host/runner-program.ts';
import { readRunnable } from '../sandbox/reader/read-code.ts';

const ROUNDS = 15;
const PROGRAMS = {
  'return 1': 'return 1',
  '10 calls answered at once': 'for (let i = 0; i < 10; i++) await svc.echo.say({ i })',
};

const silent = () => {};
const logger = { info: silent, warn: silent, error: silent } as never;

for (const [name, code] of Object.entries(PROGRAMS)) {
  const rows = { 'runner ready': [] as number[], 'runner to start': [] as number[], 'in the sandbox': [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const warm = openSandbox({ logger });
    await pass(warm, 'return 0');
    await pause(300);
    const { ms, sandboxMs } = await pass(warm, code);
    rows['runner ready'].push(ms);
    rows['in the sandbox'].push(sandboxMs);
    await warm.close();

    const cold = openSandbox({ logger, poolSize: 0 });
    await pass(cold, 'return 0');
    rows['runner to start'].push((await pass(cold, code)).ms);
    await cold.close();
  }
  for (const [row, values] of Object.entries(rows)) console.log(`${name}, ${row}: ${median(values).toFixed(1)} ms`);
}

const runner = await launchRunner({
  program: loadRunnerProgram(),
  confinement: confinementsFor(process.platform, process.getuid?.() === 0)[0]!,
  memoryMb: 128,
});
await pause(300);
console.log(
  `waiting runner: ${readFileSync(`/proc/${runner.pid}/smaps_rollup`, 'utf8')
    .match(/^(Rss|Pss|Private_Dirty):.*/gm)
    ?.join(', ')
    .replace(/\s+/g, ' ')}`,
);
runner.kill();

async function pass(sandbox: ReturnType<typeof openSandbox>, code: string): Promise<{ ms: number; sandboxMs: number }> {
  let asked = 0;
  const host: PassHost = { onEvents: silent, nextCompletion: async () => ({ number: asked++, now: 0, ok: true, value: '{}' }) };
  const start = performance.now();
  const { sandboxMs } = await sandbox.runPass(
    { program: readRunnable(code, 'svc'), surface: { echo: ['say'] }, seed: '', startedAt: 0, limits: { timeMs: 10_000, memoryMb: 128 } },
    host,
  );
  return { ms: performance.now() - start, sandboxMs };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!;
}
