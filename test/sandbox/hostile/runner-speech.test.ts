import fc from 'fast-check';
import { CODE_RUN } from '../../../domain/limits.ts';
import { driveRunner } from '../../../sandbox/host/drive-runner.ts';
import { encodeFrame, frameReader } from '../../../sandbox/host/frames.ts';
import type { Runner, RunnerExit } from '../../../sandbox/host/launch-runner.ts';
import type { PassHost, SandboxEvent } from '../../../sandbox/host/pass.ts';
import { type RunnerMessage, readRunnerMessage } from '../../../sandbox/host/runner-message.ts';
import { aRequest, SURFACE } from '../a-sandbox.ts';

function aSpeaker(speech: Uint8Array[]): Runner & { isKilled(): boolean } {
  const exited = Promise.withResolvers<RunnerExit>();
  let listener: (message: RunnerMessage | undefined) => void = () => {};
  let isKilled = false;
  const hear = frameReader(
    (text) => listener(readRunnerMessage(text)),
    () => listener(undefined),
  );
  const left = [...speech];
  return {
    pid: 0,
    memoryMb: 128,
    send: () =>
      setImmediate(() => {
        const piece = left.shift();
        if (piece) hear(Buffer.from(piece));
        else exited.resolve({ signal: null, stderr: '', wasNearlyFull: false });
      }),
    onMessage: (next) => {
      listener = next;
    },
    exited: exited.promise,
    onExit: (next) => void exited.promise.then(next),
    isGone: () => isKilled,
    isSound: () => true,
    use: () => undefined,
    kill: () => {
      isKilled = true;
      exited.resolve({ signal: 'SIGKILL', stderr: '', wasNearlyFull: false });
    },
    isKilled: () => isKilled,
  };
}

function aStrictHost(): PassHost & { events: SandboxEvent[] } {
  const events: SandboxEvent[] = [];
  let answered = 0;
  return {
    events,
    onEvents(issued) {
      for (const event of issued) {
        expect(event.number).toBe(events.length);
        if (event.kind === 'call') {
          expect((SURFACE as Record<string, string[]>)[event.alias]).toContain(event.action);
          expect(Buffer.byteLength(event.input)).toBeLessThanOrEqual(CODE_RUN.inputMaxBytes);
          expect(() => JSON.parse(event.input)).not.toThrow();
        } else expect(event.delayMs).toBeGreaterThanOrEqual(0);
        events.push(event);
      }
    },
    nextCompletion: async () => ({ number: events[answered++]!.number, now: 0, ok: true, value: 'null' }),
  };
}

const json = fc.oneof(fc.json(), fc.string(), fc.constantFrom('{', '[[', '"\\ud800"', 'null', '{"__proto__":1}'));
const number = fc.oneof(fc.nat(6), fc.integer(), fc.double(), fc.constant('0'));
const call = fc.record(
  {
    kind: fc.constantFrom('call', 'call', 'timer', 'cell', '__proto__'),
    number,
    alias: fc.constantFrom('echo', 'http', 'admin', '__proto__', 'constructor', ''),
    action: fc.constantFrom('say', 'fail', 'send_request', 'toString', ''),
    input: json,
    delayMs: number,
    line: number,
  },
  { requiredKeys: ['kind', 'number'] },
);
const goodCalls = fc
  .nat(3)
  .map((count) => Array.from({ length: count }, (_, n) => ({ kind: 'call', number: n, alias: 'echo', action: 'say', input: '{"a":1}' })));
const error = fc.record(
  { code: fc.constantFrom('CODE_ERROR', 'CODE_MEMORY', 'x', ''), message: fc.string(), isOurs: fc.boolean() },
  { requiredKeys: ['code', 'message'] },
);
const end = fc.oneof(
  fc.constant({ kind: 'returned', value: '{"a":1}' }),
  fc.constant({ kind: 'threw', error: { code: 'CODE_ERROR', message: 'm', isOurs: true } }),
  fc.record({ kind: fc.constantFrom('returned', 'paused'), value: json }),
  fc.record({ kind: fc.constantFrom('threw', 'failed', 'returned'), error }),
);
const rarely = fc.constantFrom(false, false, false, true);
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('turn'), events: goodCalls, more: rarely, end }, { requiredKeys: ['kind', 'events', 'more'] }),
  },
  fc.record({ kind: fc.constant('turn'), events: fc.array(call, { maxLength: 5 }), more: fc.boolean(), end }, { requiredKeys: ['kind'] }),
  fc.record({ kind: fc.constant('log'), level: fc.constantFrom('log', 'warn', 'loud'), message: fc.oneof(fc.string(), fc.nat()) }),
  fc.record({
    kind: fc.constant('failed'),
    code: fc.constantFrom('CODE_MEMORY', 'CODE_CANCELED', 'CODE_CALL_LIMIT', 1),
    message: fc.string(),
  }),
  fc.record({ kind: fc.constantFrom('ready', 'boot', 'start', 'complete') }),
  fc.object(),
);
const bytes = fc.oneof(
  { weight: 9, arbitrary: message.map((said) => new Uint8Array(encodeFrame(said))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.json().map((text) => new Uint8Array([0, 0, 0, text.length & 255, ...Buffer.from(text)])) },
);
const speech = fc.array(
  fc.array(bytes, { minLength: 1, maxLength: 3 }).map((parts) => new Uint8Array(Buffer.concat(parts))),
  { minLength: 1, maxLength: 6 },
);

const turnWith = (last: object) => [new Uint8Array(encodeFrame({ kind: 'turn', events: [], more: false, end: last }))];
const VALID = [
  turnWith({ kind: 'returned', value: '{"a":1}' }),
  turnWith({ kind: 'threw', error: { code: 'CODE_ERROR', message: 'm', isOurs: true } }),
];

test('with any output of a runner, the pass makes only permitted calls and ends properly', async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(speech, async (said) => {
      const runner = aSpeaker(said);
      const host = aStrictHost();
      const result = await driveRunner(runner, aRequest('return 1', { limits: { timeMs: 60, memoryMb: 128 } }), host);
      expect(runner.isKilled()).toBe(true);
      expect(['returned', 'threw', 'failed']).toContain(result.kind);
      if (result.kind === 'returned') JSON.parse(result.value);
      if (result.kind === 'failed') expect(result.error.code).toMatch(/^CODE_[A-Z_]+$/);
      expect(result.logs.length).toBeLessThanOrEqual(CODE_RUN.logMaxLines);
      ends.set(result.kind, (ends.get(result.kind) ?? 0) + 1);
    }),
    { numRuns: 400, examples: VALID.map((said) => [said]) },
  );
  expect([...ends.keys()].sort()).toEqual(['failed', 'returned', 'threw']);
});

test('after an invalid message, later messages are ignored, even in the same chunk', async () => {
  const turn = encodeFrame({ kind: 'turn', events: [{ kind: 'call', number: 0, alias: 'echo', action: 'say', input: '{}' }], more: false });
  for (const wrong of [
    Buffer.from([0, 0, 0, 1, 0x7b]),
    encodeFrame({ kind: 'ready' }),
    encodeFrame({ kind: 'failed', code: 'CODE_CANCELED', message: '' }),
  ]) {
    for (const breath of [Buffer.concat([wrong, turn]), Buffer.concat([turn, wrong])]) {
      const host = aStrictHost();
      const result = await driveRunner(aSpeaker([breath]), aRequest('return 1'), host);
      expect(result).toMatchObject({ kind: 'failed', error: { code: 'CODE_CRASHED' } });
      expect(host.events).toEqual([]);
    }
  }
});

test('inputs in many parts are buffered only up to the limit for inputs in flight', async () => {
  const input = JSON.stringify('x'.repeat(CODE_RUN.inputMaxBytes - 2));
  const part = (number: number) =>
    encodeFrame({ kind: 'turn', events: [{ kind: 'call', number, alias: 'echo', action: 'say', input }], more: true });
  const host = aStrictHost();
  const breath = Buffer.concat(Array.from({ length: 40 }, (_, number) => part(number)));
  expect(await driveRunner(aSpeaker([breath]), aRequest('return 1'), host)).toMatchObject({ error: { code: 'CODE_INPUT_TOO_LARGE' } });
  expect(host.events).toEqual([]);
});
