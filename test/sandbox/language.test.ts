import type { Sandbox } from '../../sandbox/open-sandbox.ts';
import { aSandbox, errorOf, returned, run, STARTED_AT } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

describe('what a caller may send', () => {
  test.each([
    ['top-level await and return', 'const a = await svc.echo.say({ n: 1 }); return a.n + 1', 2],
    ['one bare async arrow', 'async () => { const { n } = await svc.echo.say({ n: 1 }); return n + 1; }', 2],
    ['one bare arrow with a comment before it', '// adds\n() => 2;', 2],
    ['an arrow that takes svc', 'async (svc) => (await svc.echo.say({ n: 2 })).n', 2],
    ['Markdown fences', '```ts\nreturn 2\n```\n', 2],
    ['TypeScript types', 'interface N { n: number }\nconst a: N = { n: 2 }; return a.n as number', 2],
    ['no return', 'await svc.echo.say({})', null],
    ['an undefined return', 'return undefined', null],
    ['a body that shadows svc', 'const svc = 2; return svc', 2],
  ])('%s', async (_what, code, expected) => {
    expect(await returned(sandbox, code)).toEqual(expected);
  });
});

describe('svc', () => {
  test.each([
    ['hyphens as underscores', 'return svc.state_kv.put({ a: 1 })'],
    ['the real alias', 'return svc["state-kv"].put({ a: 1 })'],
    ['destructuring', 'const { state_kv: { put } } = svc; return put({ a: 1 })'],
    ['an alias passed around', 'const f = (kv) => kv.put({ a: 1 }); return f(svc.state_kv)'],
  ])('takes %s', async (_what, code) => {
    expect(await returned(sandbox, code)).toEqual({ a: 1 });
  });

  test('a call without input sends an empty object', async () => {
    expect(await returned(sandbox, 'return svc.echo.say()')).toEqual({});
  });

  test('can be looked at: names, presence, JSON, awaiting it', async () => {
    const code =
      'await svc; await svc.echo; return [Object.keys(svc), Object.keys(svc.echo), "nope" in svc, "state-kv" in svc, JSON.stringify(svc)]';
    expect(await returned(sandbox, code)).toEqual([['state_kv', 'http', 'echo'], ['say', 'fail'], false, true, expect.any(String)]);
  });

  test('a failed call throws an Error with the code of the failure', async () => {
    const code = 'try { await svc.echo.fail({ a: 1 }) } catch (e) { return [e instanceof Error, e.code, e.message] }';
    expect(await returned(sandbox, code)).toEqual([true, 'ACTION_FAILED', 'failed with {"a":1}']);
  });

  test('a failed call that nobody catches ends the run with its code, at the place of the call', async () => {
    const error = await errorOf(sandbox, 'const a = 1;\n  await svc.echo.fail({});');
    expect(error).toEqual({ kind: 'threw', code: 'ACTION_FAILED', message: 'failed with {}', line: 2, column: 18 });
  });

  test('an unknown alias or action names the nearest', async () => {
    expect((await errorOf(sandbox, 'await svc.statekv.put({})')).message).toContain('Did you mean svc.state_kv?');
    expect((await errorOf(sandbox, 'await svc.http.sendRequest({})')).message).toContain('Did you mean svc.http.send_request?');
    expect((await errorOf(sandbox, 'await svc.zzzzzzzzz.x()')).message).toContain('There are: state_kv, http, echo');
    expect(await errorOf(sandbox, 'await svc.echo.shout()')).toMatchObject({ code: 'ACTION_NOT_FOUND', line: 1 });
  });

  test('calls that nobody waits for are still made before the run ends', async () => {
    expect(await returned(sandbox, 'svc.echo.say({}).then(() => console.log("after")); return 1')).toBe(1);
    const { logs } = await run(sandbox, 'svc.echo.say({}).then(() => console.log("after")); return 1');
    expect(logs.map(({ message }) => message)).toEqual(['after']);
  });

  test.each([
    ['a promise', 'await svc.echo.say({ a: svc.echo.say({}) })', 'Promise; put await'],
    ['a function', 'await svc.echo.say({ a() {} })', '"a" is a function'],
    ['a BigInt', 'await svc.echo.say({ a: 1n })', '"a" is a BigInt'],
    ['a cycle', 'const a = {}; a.a = a; await svc.echo.say(a)', 'refers to itself'],
    ['two arguments', 'await svc.echo.say("a", "b")', 'takes one input object'],
  ])('an input that holds %s is refused with a reason', async (_what, code, reason) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining(reason), line: 1 });
  });
});

describe('errors', () => {
  test.each([
    ['a plain error', 'const a = 1;\n\n   throw new Error("no")', { code: 'CODE_ERROR', message: 'no', line: 3, column: 10 }],
    [
      'a typed error',
      'null.x',
      { code: 'CODE_ERROR', message: "TypeError: Cannot read properties of null (reading 'x')", line: 1, column: 6 },
    ],
    ['inside a bare arrow on the first line', 'async () => { null.x }', { code: 'CODE_ERROR', line: 1, column: 20 }],
    ['inside fences', '```js\nconst a = 1;\nnull.x\n```', { code: 'CODE_ERROR', line: 3, column: 6 }],
    ['behind types', 'const a: number = 1; null.x', { code: 'CODE_ERROR', line: 1, column: 27 }],
    ['after an await', 'await svc.echo.say({});\nnull.x', { code: 'CODE_ERROR', line: 2, column: 6 }],
    [
      'in a timer',
      'setTimeout(() => { throw new Error("late") }, 5); await new Promise(() => {})',
      { code: 'CODE_ERROR', message: 'late', line: 1 },
    ],
    ['a string', 'throw "just text"', { code: 'CODE_ERROR', message: 'just text' }],
    ['null', 'throw null', { code: 'CODE_ERROR', message: 'The code threw null' }],
    ['an own code', 'throw Object.assign(new Error("m"), { code: "MY_CODE" })', { code: 'MY_CODE', message: 'm' }],
  ])('%s: code, message, line and column of the code as sent', async (_what, code, expected) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', ...expected });
  });

  test.each([
    ['an unexpected token', 'const a = 1;\nlet b = ;', { line: 2, column: 9 }],
    ['an unfinished text', 'return (1 +', { message: 'Unexpected end of the code', line: 1 }],
    ['an import', 'import fs from "fs"', { message: expect.stringContaining('use svc.<alias>'), line: 1, column: 1 }],
    ['closing the wrapper', '}); return 1; (async function () {', { line: 1 }],
    ['a nested mountain', '['.repeat(50_000), {}],
  ])('%s is CODE_SYNTAX_ERROR with its place', async (_what, code, expected) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', code: 'CODE_SYNTAX_ERROR', ...expected });
  });

  test.each([
    ['a function', 'return { a: () => 1 }', '"a" is a function'],
    ['a cycle', 'const a = {}; a.a = a; return a', 'refers to itself'],
    ['a BigInt', 'return { a: 1n }', 'is a BigInt'],
    ['a promise', 'return { a: svc.echo.say({}) }', 'put await'],
    ['a throwing getter', 'return { get a() { throw new Error("mine") } }', 'mine'],
  ])('an output that is %s is refused with a reason', async (_what, code, reason) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_OUTPUT_NOT_JSON', message: expect.stringContaining(reason) });
  });

  test.each([
    ['fetch("https://example.com")', 'svc.http.send_request'],
    ['require("fs")', 'no modules'],
    ['await import("fs")', 'no modules'],
    ['process.env.HOME', 'no environment'],
    ['Buffer.from("a")', 'TextEncoder'],
    ['new WebSocket("wss://example.com")', 'no network'],
  ])('%s says what to use instead', async (code, advice) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_NOT_AVAILABLE', message: expect.stringContaining(advice), line: 1 });
  });

  test.each([
    ['return import("fs")', 1, 8],
    ['```ts\nconst m: unknown = [1, await import("fs")]\n```', 2, 30],
    ['() => import("fs")', 1, 7],
    ['const load = async () => {\n  await null;\n  const m = await import("a");\n};\nawait load(); await import("b")', 3, 19],
    ['return eval("import(1)")', 1, 8],
  ])('%j names the place of its import()', async (code, line, column) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_NOT_AVAILABLE', line, column });
  });
});

test('console lines carry level, text and the time of the run', async () => {
  const code = `console.log("a", { b: [1, undefined, null], c: new Date(0) }, 2n, null);
    console.info(new TypeError("t")); console.warn(new Map([[1, new Set(["x"])]]));
    await new Promise((done) => setTimeout(done, 1500));
    console.error(() => {}, Symbol("s")); console.debug(svc.echo.say({}));
    const cycle = {}; cycle.self = cycle; console.log(cycle, { get x() { throw 1 } });`;
  const { logs } = await run(sandbox, code);
  const [first, later] = [new Date(STARTED_AT).toISOString(), new Date(STARTED_AT + 1500).toISOString()];
  expect(logs).toEqual([
    { level: 'log', message: 'a {"b":[1,undefined,null],"c":1970-01-01T00:00:00.000Z} 2n null', timestamp: first },
    { level: 'info', message: 'TypeError: t', timestamp: first },
    { level: 'warn', message: 'Map {1 => Set {"x"}}', timestamp: first },
    { level: 'error', message: '[Function anonymous] Symbol(s)', timestamp: later },
    { level: 'debug', message: '[Promise: put await before it]', timestamp: later },
    { level: 'log', message: '{"self":[Circular]} [unreadable value]', timestamp: later },
  ]);
});
