import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepRunning } from '../../standalone/keep-running.ts';
import { commandOf, stopRecordedProcesses } from '../../standalone/process-record.ts';
import { type Program, runProgram } from '../../standalone/run-program.ts';

const FOREVER = 'setInterval(() => {}, 1000)';
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gateway-keep-'));
});

afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

test('a crashed program is restarted with doubled delays, and its last output is reported', async () => {
  const { lines, nextLine } = listener();
  const kept = await keepRunning(() => run(`console.error('Error: no luck'); process.exit(3)`), { say: lines.push, firstDelayMs: 10 });
  for (let count = 0; count < 3; count += 1) await nextLine();
  await kept.stop();
  expect(lines.said.slice(0, 3).map((line) => line.replace(/ Log: .*/, ''))).toEqual([
    'part ended with exit code 3: Error: no luck. Restarting in 0.01 s.',
    'part ended with exit code 3: Error: no luck. Restarting in 0.02 s.',
    'part ended with exit code 3: Error: no luck. Restarting in 0.04 s.',
  ]);
});

test('after a healthy period the delay starts over', async () => {
  const { lines, nextLine } = listener();
  const kept = await keepRunning(() => run('process.exit(3)'), { say: lines.push, firstDelayMs: 10, healthyMs: 0 });
  for (let count = 0; count < 3; count += 1) await nextLine();
  await kept.stop();
  expect(lines.said.every((line) => line.includes('Restarting in 0.01 s'))).toBe(true);
});

test('a stopped program is not started again', async () => {
  const { lines } = listener();
  const kept = await keepRunning(() => run(FOREVER), { say: lines.push, firstDelayMs: 1 });
  const { pid } = kept.current();
  expect(commandOf(pid)).toContain(FOREVER);
  await kept.stop();
  expect(commandOf(pid)).toBeUndefined();
  expect(lines.said).toEqual([]);
});

test('a program that ignores the request to stop is killed', async () => {
  const program = await run(`process.on('SIGTERM', () => {}); console.log('ready'); ${FOREVER}`, { stopSeconds: 0.2 });
  while (program.lastWords() !== 'ready') await delay(10);
  await program.stop();
  expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a program ends when the process that started it is killed', async () => {
  const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', STARTER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(starter.stdout, 'data');
  const pid = Number(line);
  expect(commandOf(pid)).toContain(FOREVER);
  starter.kill('SIGKILL');
  while (commandOf(pid) !== undefined) await delay(10);
});

test('the next start stops a process only if it is certainly the recorded process', async () => {
  const bystander = spawn(process.execPath, ['-e', FOREVER]);
  const recorded = await run(FOREVER, { name: 'recorded' });
  writeFileSync(
    join(dataDir, 'run', 'other.json'),
    JSON.stringify({ name: 'other', pid: bystander.pid, identity: 'started at another time', dataDir, stopSignal: 'SIGKILL' }),
  );
  expect(await stopRecordedProcesses(dataDir)).toEqual(['recorded']);
  expect(await recorded.exited).toEqual({ code: null, signal: 'SIGTERM' });
  expect(commandOf(bystander.pid!)).toContain(FOREVER);
  bystander.kill();
  await once(bystander, 'exit');
});

const STARTER = `
import { runProgram } from '${join(import.meta.dirname, '../../standalone/run-program.ts')}';
const program = await runProgram({ name: 'part', command: process.execPath, args: ['-e', '${FOREVER}'], env: {}, dataDir: process.argv[1] });
process.stdout.write(String(program.pid));
`;

function run(script: string, options: { name?: string; stopSeconds?: number } = {}): Promise<Program> {
  return runProgram({ name: 'part', command: process.execPath, args: ['-e', script], env: {}, dataDir, ...options });
}

function listener() {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const push = (line: string) => {
    said.push(line);
    waiting.shift()?.();
  };
  let awaited = 0;
  const nextLine = async () => {
    awaited += 1;
    if (said.length < awaited) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { lines: { said, push }, nextLine };
}
