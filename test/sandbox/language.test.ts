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
    ['one bare arrow that is not async', '() => 2', 2],
    ['a bare arrow in brackets', '((() => 2));', 2],
    ['a bare arrow with semicolons, a directive and comments', '"use strict"; /* a */ async () => 2; /* b */ ; // c', 2],
    ['a bare arrow that takes svc apart', 'async ({ echo }) => (await echo.say({ n: 2 })).n;', 2],
    ['a bare arrow with types, in a fence', '```ts\nasync (svc: any): Promise<number> => 2;\n```', 2],
    ['Markdown fences', '```ts\nreturn 2\n```\n', 2],
    ['a fence of any kind', '\uFEFF  ~~~~typescript title="x" {1}\r\nconst n: number = 2; return n\r\n~~~~  \n', 2],
    ['an opened fence', '```js\nreturn 2', 2],
    ['one fenced block in prose', 'Here it is:\n\n```js\nreturn 2\n```\n\nIt returns two.', 2],
    ['a template that holds fences', 'return `\n~~~\nx\n~~~\n`.length', 11],
    ['TypeScript types', 'interface N { n: number }\nconst a: N = { n: 2 }; return a.n as number', 2],
    ['generics and satisfies', 'const f = <T,>(x: T): T => x; const o = { n: 2 } satisfies { n: number }; return f<number>(o!.n)', 2],
    [
      'casts, optional and abstract members',
      'abstract class A { abstract n(): number; declare x?: string }\nclass B extends A { private m: number = 2; n() { return this.m } }\nreturn new B().n()',
      2,
    ],
    [
      'type aliases, overloads and declarations',
      'type N = number | null; declare const z: N; function f(a: N): N; function f(a: any) { return a } return f(2)',
      2,
    ],
    ['typed destructuring and catch', 'try { throw 2 } catch (e: unknown) { const { n }: { n: unknown } = { n: e }; return n }', 2],
    ['no return', 'await svc.echo.say({})', null],
    ['an undefined return', 'return undefined', null],
    ['a body that shadows svc', 'const svc = 2; return svc', 2],
  ])('%s', async (_what, code, expected) => {
    expect(await returned(sandbox, code)).toEqual(expected);
  });
});

test.each([
  ['enum A { B = 2 }\nreturn A.B', 'use a constant object', 1, 1],
  ['const a = 1;\nnamespace N { export const a = 2 }', 'use a constant object', 2, 1],
  ['class A {\n  constructor(private x: number) {}\n}', 'constructor instead', 2, 23],
  ['const x: number = <number>2', 'value as Type', 1, 19],
  ['```js\nreturn 1\n```\n\n```js\nreturn 2\n```', 'several fenced blocks', 5, 4],
  ['import type { A } from "a"', 'no modules', 1, 1],
  ['export default async () => 2', 'no modules', 1, 1],
])('%j cannot run, and the answer says why and where', async (code, advice, line, column) => {
  expect(await errorOf(sandbox, code)).toMatchObject({
    ...{ code: 'CODE_SYNTAX_ERROR', message: expect.stringContaining(advice), line, column },
  });
});

describe('svc', () => {
  test.each([
    ['hyphens as underscores', 'return svc.state_kv.put({ a: 1 })'],
    ['the real alias', 'return svc["state-kv"].put({ a: 1 })'],
    ['destructuring', 'const { state_kv: { put } } = svc; return put({ a: 1 })'],
    [
      'an action kept for later',
      'const { put } = svc.state_kv; const all = [{ a: 1 }].map((input) => put(input)); return (await Promise.all(all))[0]',
    ],
    ['a copy of an alias', 'const kv = { ...svc["state-kv"] }; return kv.put({ a: 1 })'],
    ['the rest of an alias', 'const { get, ...kv } = svc.state_kv; return kv.put({ a: 1 })'],
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

  test('the details of a failure are there to be read, and none are made up', async () => {
    const code = `const detailsOf = (call) => call.catch((e) => [Object.keys(e), e.details, JSON.stringify(e.details ?? null)]);
      return [await detailsOf(svc.echo.fail({ details: { issues: [{ path: 'to' }] } })), await detailsOf(svc.echo.fail({}))]`;
    const [told, untold] = (await returned(sandbox, code)) as unknown[];
    expect(told).toEqual([['code', 'details'], { issues: [{ path: 'to' }] }, '{"issues":[{"path":"to"}]}']);
    expect(untold).toEqual([['code'], null, 'null']);
  });

  test('a failed call that nobody catches ends the run with its code, at the place of the call', async () => {
    const error = await errorOf(sandbox, 'const a = 1;\n  await svc.echo.fail({});');
    expect(error).toEqual({ kind: 'threw', code: 'ACTION_FAILED', message: 'failed with {}', line: 2, column: 18 });
  });

  test('an unknown alias or action names the nearest', async () => {
    expect((await errorOf(sandbox, 'await svc.statekv.put({})')).message).toContain('Did you mean svc.state_kv?');
    expect((await errorOf(sandbox, 'await svc.http.sendRequest({})')).message).toContain('Did you mean svc.http.send_request?');
    expect((await errorOf(sandbox, 'await svc["state-kv"].puut({})')).message).toContain('Did you mean svc["state-kv"].put?');
    expect((await errorOf(sandbox, 'await svc.call("echo.say", {})')).message).toContain('svc.<alias>.<action>(input)');
    expect((await errorOf(sandbox, 'await svc["state-kv"].set({})')).message).toBe(
      'There is no action "set" in svc["state-kv"]. Did you mean svc["state-kv"].put? There are: put, get, delete.',
    );
    expect((await errorOf(sandbox, 'await svc.zzzzzzzzz.x()')).message).toContain('There are: state_kv, http, echo');
    expect(await errorOf(sandbox, 'await svc.echo.shout()')).toMatchObject({ code: 'ACTION_NOT_FOUND', line: 1 });
  });

  test('what is there is said without a suggestion where the code took the language apart', async () => {
    const code = 'Map = undefined; String.prototype.toLowerCase = () => { throw 1 }; await svc.echo.shout()';
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'ACTION_NOT_FOUND', message: 'There is no action "shout" in svc.echo.' });
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
    ['a Map', 'await svc.echo.say({ a: { b: new Map([[1, 2]]) } })', '"b" is a Map, which JSON loses; write Object.fromEntries(map)'],
    ['a Set', 'await svc.echo.say(new Set())', 'it is a Set, which JSON loses; write [...set]'],
    ['an Error', 'await svc.echo.say({ a: new TypeError("x") })', 'write error.message'],
    ['a RegExp', 'await svc.echo.say({ a: /x/ })', 'write pattern.source'],
    ['bytes', 'await svc.echo.say({ a: new Uint8Array(2) })', 'write [...array]'],
    ['an iterator', 'await svc.echo.say({ a: new Map().keys() })', 'write [...iterator]'],
    ['search parameters', 'await svc.echo.say({ a: new URLSearchParams("q=1") })', 'Object.fromEntries(params)'],
    ['NaN', 'await svc.echo.say({ a: [Number("x")] })', 'is NaN, which JSON loses'],
    ['Infinity', 'await svc.echo.say({ a: 1 / 0 })', '"a" is Infinity, which JSON loses'],
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
    ['in a bare arrow behind its first line', '// a\nasync (svc: any) => {\n  null.x;\n}', { code: 'CODE_ERROR', line: 3, column: 8 }],
    ['in the one fenced block of some prose', 'So:\n```ts\nconst n: number = 1;\n  null.x\n```\nDone.', { line: 4, column: 8 }],
    ['in a callback of a built-in', 'const a = [2, 1];\na.sort(() => {\n  throw new Error("s");\n})', { message: 's', line: 3, column: 9 }],
    [
      'in a callback of a promise',
      'await Promise.all([1].map(async () => {\n  await null;\n  throw new Error("p");\n}))',
      { line: 3, column: 9 },
    ],
    [
      'in a function that was called after awaits',
      'async function f() {\n  await svc.echo.say({});\n  JSON.parse("{");\n}\nawait f()',
      { line: 3, column: 8 },
    ],
    [
      'in a microtask',
      'queueMicrotask(() => {\n  throw new Error("m")\n}); await new Promise((done) => setTimeout(done, 5))',
      { message: 'm', line: 2, column: 9 },
    ],
    ['in a class', 'class A {\n  static {\n    null.x\n  }\n}', { line: 3, column: 10 }],
    ['an unknown name', 'const a = 1;\n  await send()', { message: 'ReferenceError: send is not defined', line: 2, column: 3 }],
    ['a module', 'module.exports = 1', { message: expect.stringContaining('`return` what the code answers'), line: 1 }],
    ['a string', 'throw "just text"', { code: 'CODE_ERROR', message: 'just text' }],
    ['null', 'throw null', { code: 'CODE_ERROR', message: 'The code threw null' }],
    ['an own code', 'throw Object.assign(new Error("m"), { code: "MY_CODE" })', { code: 'MY_CODE', message: 'm' }],
    ['the code of a call that failed', 'await svc.echo.fail({})', { code: 'ACTION_FAILED' }],
    [
      'that code, thrown again',
      'try { await svc.echo.fail({}) } catch (e) { e.message = "m"; throw e }',
      { code: 'ACTION_FAILED', message: 'm' },
    ],
    [
      'a code of ours on an own error',
      'throw Object.assign(new Error("m"), { code: "APPROVAL_REJECTED" })',
      { code: 'CODE_ERROR', message: 'm' },
    ],
    ['one that we may use some day', 'throw { code: "CODE_WHATEVER", message: "m" }', { code: 'CODE_ERROR', message: 'm' }],
    ['a code of the API', 'throw Object.assign(new Error("m"), { code: "QUOTA_EXCEEDED" })', { code: 'CODE_ERROR' }],
    [
      'another code of ours on the error of a call',
      'try { await svc.echo.fail({}) } catch (e) { e.code = "CODE_DIVERGED"; throw e }',
      { code: 'CODE_ERROR' },
    ],
    [
      'a code of ours, with our own record of errors tampered with',
      'WeakMap.prototype.get = () => "CODE_DIVERGED"; WeakMap.prototype.set = function () { throw 1 }; const e = await svc.echo.fail({}).catch((e) => e); e.code = "CODE_DIVERGED"; throw e',
      { code: 'CODE_ERROR' },
    ],
    [
      'an error that changes its code while it is read',
      'let n = 0; throw { get code() { return n++ ? "APPROVAL_REJECTED" : "MINE" }, message: "m" }',
      { code: 'MINE' },
    ],
  ])('%s: code, message, line and column of the code as sent', async (_what, code, expected) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', ...expected });
  });

  test.each([
    ['an unexpected token', 'const a = 1;\nlet b = ;', { line: 2, column: 9 }],
    ['an unfinished text', 'return (1 +', { message: 'Unexpected end of the code', line: 1 }],
    ['an export', 'export default async (svc) => 1', { message: expect.stringContaining('`return` what the code answers'), line: 1 }],
    ['an import', 'import fs from "fs"', { message: expect.stringContaining('use svc.<alias>'), line: 1, column: 1 }],
    ['a brace that is not closed', 'if (true) {\n  return 1', { message: 'Unexpected end of the code', line: 2, column: 11 }],
    ['closing the wrapper', '}); (async()=>{ return 5', { message: "Unexpected token '}'", line: 1, column: 1 }],
    ['a mistake behind types', 'const a: string = "x";\nconst c = a +;', { message: 'Expression expected', line: 2, column: 14 }],
    ['a nested mountain', '['.repeat(50_000), { message: 'The code is nested too deeply' }],
    ['nested brackets', `return ${'('.repeat(20_000)}1${')'.repeat(20_000)}`, { message: 'The code is nested too deeply' }],
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

  test('what JSON would lose of an output is what comes closest to it, and where nothing does, the log says so', async () => {
    const kept = `return { map: new Map([['a', new Set([1])], ['__proto__', 2]]), pairs: new Map([[{ k: 1 }, 1], ['b', 2]]), pattern: /x/g,
      settled: await Promise.allSettled([svc.echo.fail({}), Promise.reject(new TypeError('x'))]), bytes: new Uint8Array([1, 2]), when: new Date(0), gone: undefined }`;
    const reasons = [
      { name: 'Error', message: 'failed with {}', code: 'ACTION_FAILED' },
      { name: 'TypeError', message: 'x' },
    ];
    expect(await returned(sandbox, kept)).toEqual({
      map: JSON.parse('{"a":[1],"__proto__":2}'),
      pairs: [
        [{ k: 1 }, 1],
        ['b', 2],
      ],
      ...{ pattern: '/x/g', bytes: [1, 2], when: '1970-01-01T00:00:00.000Z' },
      settled: reasons.map((reason) => ({ status: 'rejected', reason })),
    });
    expect(await run(sandbox, 'return { mean: 0 / 0, all: [Infinity] }')).toMatchObject({
      value: '{"mean":null,"all":[null]}',
      logs: [{ level: 'warn', message: '"mean" in the output is NaN, which JSON does not have: it is answered as null' }],
    });
    expect(await errorOf(sandbox, 'const m = new Map(); return m.set("m", m)')).toMatchObject({ code: 'CODE_OUTPUT_NOT_JSON' });
  });

  test('what only looks like a Map, a Set or a pattern loses nobody a result', async () => {
    const code = `class Odd extends Map {} return [new Proxy(new Map([['a', 1]]), {}), new Proxy(new Set(), {}), Object.create(Map.prototype),
      Object.create(Odd.prototype), Object.create(RegExp.prototype), Uint8Array.prototype, Object.create(URLSearchParams.prototype)]`;
    expect(await returned(sandbox, code)).toEqual([{}, {}, {}, {}, {}, {}, {}]);
  });

  test('an Error in an output has its cause, and the errors that it stands for', async () => {
    const code = "return new AggregateError([new Error('a')], 'm', { cause: new Error('c') })";
    expect(await returned(sandbox, code)).toEqual({
      ...{ name: 'AggregateError', message: 'm', cause: { name: 'Error', message: 'c' } },
      errors: [{ name: 'Error', message: 'a' }],
    });
  });

  test('whoever forgot to return is known from whoever returned null', async () => {
    expect(await run(sandbox, 'svc.echo.say({})')).toMatchObject({ value: 'null', isNothing: true });
    expect(await run(sandbox, 'return null')).not.toHaveProperty('isNothing');
  });

  test.each([
    ['fetch("https://example.com")', 'svc.http.send_request'],
    ['require("fs")', 'no modules'],
    ['await import("fs")', 'no modules'],
    ['process.env.HOME', 'no environment'],
    ['Buffer.from("a")', 'TextEncoder'],
    ['new WebSocket("wss://example.com")', 'no network'],
    ['new EventSource("https://example.com")', 'no network'],
    ['new XMLHttpRequest()', 'svc.http.send_request'],
    ['new Request("https://example.com")', 'svc.http.send_request'],
    ['new Headers({ a: "b" })', 'plain object'],
    ['setImmediate(() => {})', 'setTimeout'],
    ['localStorage.setItem("a", "b")', 'svc.kv_store'],
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
