import { CODE_RUN } from '../../domain/limits.ts';
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { encodeFrame, FRAME_MAX_BYTES, frameReader } from '../../sandbox/host/frames.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import { assertSafeVersion, loadRunnerProgram } from '../../sandbox/host/runner-program.ts';
import { anEchoHost, aRequest } from './a-sandbox.ts';

const confinement = {
  hasOwnRoot: false,
  hasNoNetwork: false,
  user: 'same',
  hasNoPrivileges: false,
  hasResourceLimits: false,
  hasCallFilter: false,
} as const;

/** Launches a runner that executes `lines` when a pass starts. */
async function takenOver(lines: string) {
  const source = `
    let isStarted = false;
    const send = (message) => raw(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));
    const raw = (body) => { const header = Buffer.alloc(4); header.writeUInt32BE(body.length); process.stdout.write(Buffer.concat([header, body])); };
    const call = (number, more = {}) => ({ kind: 'call', number, alias: 'echo', action: 'say', input: '{}', ...more });
    const turn = (events, more = {}) => send({ kind: 'turn', events, more: false, ...more });
    process.stdin.on('data', () => { if (isStarted) return; isStarted = true; send({ kind: 'ready' }); process.stdin.once('data', () => { ${lines} }); }).on('end', () => process.exit());`;
  return launchRunner({ program: { source, bootstrap: '', addonPath: '-' }, confinement, memoryMb: 128 });
}

const request = aRequest('return 1', { limits: { timeMs: 5000, memoryMb: 128 } });

test.each([
  ['invalid JSON', 'send("{nonsense")', 'CODE_CRASHED'],
  ['an unknown message', 'send({ kind: "please" })', 'CODE_CRASHED'],
  ['an unknown key', 'turn([], { secret: 1 })', 'CODE_CRASHED'],
  ['a second ready', 'send({ kind: "ready" })', 'CODE_CRASHED'],
  ['a frame above the limit', 'process.stdout.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))', 'CODE_CRASHED'],
  ['an alias that the run does not have', 'turn([call(0, { alias: "admin" })])', 'CODE_CRASHED'],
  ['an action that the alias does not have', 'turn([call(0, { action: "constructor" })])', 'CODE_CRASHED'],
  ['a prototype as alias', 'turn([call(0, { alias: "__proto__", action: "toString" })])', 'CODE_CRASHED'],
  ['numbers out of order', 'turn([call(1)])', 'CODE_CRASHED'],
  ['a number twice', 'turn([call(0), call(0)])', 'CODE_CRASHED'],
  ['an input that is not JSON', 'turn([call(0, { input: "{" })])', 'CODE_CRASHED'],
  ['an input with a lone surrogate', `turn([call(0, { input: '{"a":"\\\\uD800"}' })])`, 'CODE_CRASHED'],
  ['an input with a number that overflows', `turn([call(0, { input: '[{"a":[1e400]}]' })])`, 'CODE_CRASHED'],
  ['an input with a number of too many digits', `turn([call(0, { input: '-' + '9'.repeat(310) })])`, 'CODE_CRASHED'],
  ['an output that is not JSON', 'turn([], { end: { kind: "returned", value: "{" } })', 'CODE_CRASHED'],
  ['an unrequested pause', 'turn([], { end: { kind: "paused" } })', 'CODE_CRASHED'],
  ['endless empty parts', 'for (let i = 0; i < 3; i++) turn([], { more: true })', 'CODE_CRASHED'],
  ['too many calls', `turn(Array.from({ length: ${CODE_RUN.maxCalls + 1} }, (_, n) => call(n)))`, 'CODE_CALL_LIMIT'],
  [
    'too many timers',
    `turn(Array.from({ length: ${CODE_RUN.maxTimers + 1} }, (_, number) => ({ kind: "timer", number, delayMs: 1 })))`,
    'CODE_TIMER_LIMIT',
  ],
  [
    'too many events in parts',
    'for (let p = 0; p < 40; p++) turn(Array.from({ length: 100 }, (_, n) => call(p * 100 + n)), { more: true })',
    'CODE_CALL_LIMIT',
  ],
  ['an input above the limit', `turn([call(0, { input: JSON.stringify("x".repeat(${CODE_RUN.inputMaxBytes})) })])`, 'CODE_INPUT_TOO_LARGE'],
  ['an input of a million brackets', 'turn([call(0, { input: "[".repeat(400000) + "]".repeat(400000) })])', 'CODE_INPUT_TOO_LARGE'],
  [
    'an output above the limit',
    `turn([], { end: { kind: "returned", value: JSON.stringify("x".repeat(${CODE_RUN.outputMaxBytes})) } })`,
    'CODE_OUTPUT_TOO_LARGE',
  ],
  [
    'an endless log',
    'const line = { kind: "log", level: "log", message: "x" }; setInterval(() => { for (let i = 0; i < 500; i++) send(line) }, 1)',
    'CODE_CRASHED',
  ],
  ['the message "nearly full" twice', 'send({ kind: "nearly-full" }); send({ kind: "nearly-full" })', 'CODE_CRASHED'],
  [
    'the message "nearly full" and then a crash',
    'send({ kind: "nearly-full" }); setTimeout(() => process.kill(process.pid, "SIGSEGV"), 50)',
    'CODE_MEMORY',
  ],
  ['a segmentation fault', 'process.kill(process.pid, "SIGSEGV")', 'CODE_CRASHED'],
  ['an exit without a message', 'process.exit(0)', 'CODE_CRASHED'],
  ['a kill by the kernel', 'process.kill(process.pid, "SIGKILL")', 'CODE_MEMORY'],
])('this event in a runner ends the pass with an error code: %s', async (_what, lines, code) => {
  const runner = await takenOver(lines);
  expect(await driveRunner(runner, request, anEchoHost())).toMatchObject({ kind: 'failed', error: { code } });
  await runner.exited;
});

test('a runner that ignores its deadline is killed', async () => {
  const runner = await takenOver('while (true);');
  const result = await driveRunner(runner, aRequest('return 1', { limits: { timeMs: 300, memoryMb: 128 } }), anEchoHost());
  expect(result).toMatchObject({ kind: 'failed', error: { code: 'CODE_TIMEOUT' } });
  expect(await runner.exited).toMatchObject({ signal: 'SIGKILL' });
});

test('frames arrive complete, however the bytes are split', () => {
  const seen: string[] = [];
  const read = frameReader(
    (text) => seen.push(text),
    () => seen.push('too large'),
  );
  const bytes = Buffer.concat([{ a: 'ü€' }, {}, { b: 'x'.repeat(1000) }].map(encodeFrame));
  for (const byte of bytes) read(Buffer.from([byte]));
  read(bytes);
  expect(seen).toEqual([...seen.slice(0, 3), ...seen.slice(0, 3)]);
  expect(seen.slice(0, 2)).toEqual(['{"a":"ü€"}', '{}']);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(FRAME_MAX_BYTES);
  read(Buffer.concat([header, bytes]));
  read(bytes);
  expect(seen.slice(6)).toEqual(['too large']);
});

test('an isolated-vm version with a known vulnerability is refused', () => {
  for (const version of ['6.1.2', '5.0.4', '6.1.99', 'nonsense']) expect(() => assertSafeVersion(version)).toThrow('isolated-vm 6.2.0');
  for (const version of ['6.2.0', '6.2.1', '6.10.0', '7.0.0']) expect(() => assertSafeVersion(version)).not.toThrow();
  expect(loadRunnerProgram().bootstrap).toContain('export{');
});
