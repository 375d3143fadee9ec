import { CODE_RUN } from '../../domain/limits.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { PassHost } from '../../sandbox/host/pass.ts';
import { anEchoHost, aRequest, aSandbox, errorOf, returned, run } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

const shortly = { limits: { timeMs: 500, memoryMb: 128 } };

describe('time', () => {
  test('a host that never answers is awaited until the deadline', async () => {
    const never: PassHost = { onEvents: () => {}, nextCompletion: () => new Promise(() => {}) };
    const result = await sandbox.runPass(aRequest('await svc.echo.say({})', shortly), never);
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'CODE_TIMEOUT', message: 'The code ran longer than 0.5 seconds' } });
  });

  test('the timeout message states the total time limit of the run, also in a later pass', async () => {
    const result = await run(sandbox, 'while (true);', { limits: { timeMs: 99.999999869, wholeMs: 60_000, memoryMb: 128 } });
    expect(result).toMatchObject({ error: { code: 'CODE_TIMEOUT', message: 'The code ran longer than 60 seconds' } });
  });

  test('waiting for the parser does not count as run time', async () => {
    const endless = (name: string) => `let ${name}: any = /(/; f(${'<T>('.repeat(40)}1${')'.repeat(40)})`;
    const others = ['a', 'b'].map((name) => run(sandbox, endless(name), { tenantId: name }));
    const [result] = await Promise.all([run(sandbox, 'return 1', { ...shortly, tenantId: 'another' }), ...others]);
    expect(result).toMatchObject({ kind: 'returned', value: '1' });
    for (const other of await Promise.all(others))
      expect(other).toMatchObject({ kind: 'failed', error: { code: 'CODE_TIMEOUT', message: expect.stringContaining('too intricate') } });
  });

  test('log lines that were written before the deadline are kept', async () => {
    const result = await run(sandbox, 'console.log("before"); while (true);', { limits: { timeMs: 2000, memoryMb: 128 } });
    expect(result.logs.map(({ message }) => message)).toEqual(['before']);
  });

  test('time spent in the host does not count as time in the sandbox', async () => {
    const host = anEchoHost();
    const slow: PassHost = {
      onEvents: host.onEvents,
      nextCompletion: async () => {
        await new Promise((done) => setTimeout(done, 3000));
        return host.nextCompletion();
      },
    };
    const { sandboxMs } = await sandbox.runPass(aRequest('await svc.echo.say({})'), slow);
    expect(sandboxMs).toBeLessThan(2500);
    expect(sandboxMs).toBeGreaterThan(0);
  });

  test('a pass ends as CODE_CANCELED if it is canceled while it computes, while it waits or before it starts', async () => {
    const spinning = new AbortController();
    const pass = sandbox.runPass(aRequest('while (true);'), anEchoHost(), spinning.signal);
    spinning.abort();
    expect(await pass).toMatchObject({ kind: 'failed', error: { code: 'CODE_CANCELED' } });

    const waiting = new AbortController();
    const host: PassHost = { onEvents: () => waiting.abort(), nextCompletion: () => new Promise(() => {}) };
    expect(await sandbox.runPass(aRequest('await svc.echo.say({})'), host, waiting.signal)).toMatchObject({
      error: { code: 'CODE_CANCELED' },
    });

    expect(await sandbox.runPass(aRequest('return 1'), anEchoHost(), AbortSignal.abort())).toMatchObject({
      error: { code: 'CODE_CANCELED' },
    });
  });
});

describe('memory', () => {
  test.each([
    ['objects', 'const all = []; while (true) all.push(new Array(1000).fill({ x: 1 }))'],
    ['buffers', 'const all = []; while (true) all.push(new Uint8Array(1e7).fill(1))'],
  ])('%s above the memory limit end as CODE_MEMORY, and the next run works', async (_what, code) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_MEMORY' });
    expect(await returned(sandbox, 'return 1')).toBe(1);
  });

  test('80 MB of 128 are usable', async () => {
    expect(
      await returned(sandbox, 'const all = []; for (let i = 0; i < 80; i++) all.push(new Uint8Array(1e6).fill(i)); return all.length'),
    ).toBe(80);
  });

  test('a pass can request a lower limit', async () => {
    const code = 'const all = []; for (let i = 0; i < 60; i++) all.push(new Array(125_000).fill(i)); return all.length';
    expect(await returned(sandbox, code)).toBe(60);
    expect(await errorOf(sandbox, code, { limits: { timeMs: 100_000, memoryMb: 16 } })).toMatchObject({ code: 'CODE_MEMORY' });
  });
});

describe('sizes and numbers below and above each limit', () => {
  test('output', async () => {
    expect(await returned(sandbox, `return "x".repeat(${CODE_RUN.outputMaxBytes - 2})`)).toHaveLength(CODE_RUN.outputMaxBytes - 2);
    const tooLarge = { kind: 'failed', code: 'CODE_OUTPUT_TOO_LARGE' };
    expect(await errorOf(sandbox, `return "x".repeat(${CODE_RUN.outputMaxBytes - 1})`)).toMatchObject(tooLarge);
    expect(await errorOf(sandbox, `return "€".repeat(${Math.ceil(CODE_RUN.outputMaxBytes / 3)})`)).toMatchObject(tooLarge);
    expect(await errorOf(sandbox, 'let a = 1; for (let i = 0; i < 257; i++) a = [a]; return a')).toMatchObject(tooLarge);
    expect(await errorOf(sandbox, 'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return a')).toMatchObject({
      code: 'CODE_OUTPUT_NOT_JSON',
    });
  });

  test('an input', async () => {
    const filler = CODE_RUN.inputMaxBytes - '{"a":""}'.length;
    expect(await returned(sandbox, `return (await svc.echo.say({ a: "x".repeat(${filler}) })).a.length`)).toBe(filler);
    expect(await errorOf(sandbox, `await svc.echo.say({ a: "x".repeat(${filler + 1}) })`)).toMatchObject({
      code: 'CODE_INPUT_TOO_LARGE',
      message: expect.stringContaining('1 MB'),
      line: 1,
    });
    expect(await errorOf(sandbox, 'let a = {}; for (let i = 0; i < 257; i++) a = { a }; await svc.echo.say(a)')).toMatchObject({
      code: 'CODE_INPUT_TOO_LARGE',
    });
  });

  test('all inputs in flight together', async () => {
    const code = (count: number) =>
      `return (await Promise.all(Array.from({ length: ${count} }, () => svc.echo.say({ a: "x".repeat(1_000_000) })))).length`;
    expect(await errorOf(sandbox, code(36))).toMatchObject({ code: 'CODE_INPUT_TOO_LARGE' });
    expect(await returned(sandbox, code(10))).toBe(10);
  });

  test('the result of a call', async () => {
    const answering = (bytes: number): PassHost => ({
      onEvents: () => {},
      nextCompletion: async () => ({ number: 0, now: 0, ok: true, value: JSON.stringify('x'.repeat(bytes - 2)) }),
    });
    const request = aRequest('return (await svc.echo.say({})).length');
    expect(await sandbox.runPass(request, answering(CODE_RUN.resultMaxBytes))).toMatchObject({
      kind: 'returned',
      value: `${CODE_RUN.resultMaxBytes - 2}`,
    });
    expect(await sandbox.runPass(request, answering(CODE_RUN.resultMaxBytes + 1))).toMatchObject({
      error: { code: 'CODE_RESULT_TOO_LARGE' },
    });
  });

  test('the 201st call ends the run, even if its error is caught', async () => {
    expect(await returned(sandbox, 'let n = 0; for (let i = 0; i < 200; i++) n += (await svc.echo.say({ one: 1 })).one; return n')).toBe(
      200,
    );
    const overLimit = { kind: 'failed', code: 'CODE_CALL_LIMIT' };
    expect(await errorOf(sandbox, 'for (let i = 0; i < 201; i++) { try { await svc.echo.say({}) } catch {} } return 1')).toMatchObject(
      overLimit,
    );
    expect(await errorOf(sandbox, 'while (true) svc.echo.say({})')).toMatchObject(overLimit);
    const host = anEchoHost();
    await sandbox.runPass(aRequest('await Promise.all(Array.from({ length: 201 }, () => svc.echo.say({})))'), host);
    expect(host.events).toEqual([]);
  });

  test('the number of timers', async () => {
    expect(await returned(sandbox, 'for (let i = 0; i < 1000; i++) setTimeout(() => {}, 1); return 1')).toBe(1);
    expect(await errorOf(sandbox, 'while (true) setTimeout(() => {}, 1)')).toMatchObject({ code: 'CODE_TIMER_LIMIT' });
  });

  test('log lines and bytes: the last line says that the log was cut', async () => {
    const lines = async (code: string) => (await run(sandbox, code)).logs.map(({ message }) => message);
    const full = await lines('for (let i = 0; i < 1000; i++) console.log(i)');
    expect([full.length, full.at(-1)]).toEqual([1000, '999']);
    const over = await lines('for (let i = 0; i < 5000; i++) console.log(i)');
    expect([over.length, over.at(-1)]).toEqual([1000, expect.stringContaining('The log ends here')]);
    const wide = await lines('for (let i = 0; i < 100; i++) console.log("€".repeat(5000))');
    expect(Buffer.byteLength(wide.slice(0, -1).join(''))).toBeLessThanOrEqual(CODE_RUN.logMaxBytes);
    expect(wide.at(-1)).toContain('The log ends here');
  });
});
