import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { aSandbox, errorOf, returned, run } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

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
    ['after types', 'const a: number = 1; null.x', { code: 'CODE_ERROR', line: 1, column: 27 }],
    ['after an await', 'await svc.echo.say({});\nnull.x', { code: 'CODE_ERROR', line: 2, column: 6 }],
    [
      'in a timer',
      'setTimeout(() => { throw new Error("late") }, 5); await new Promise(() => {})',
      { code: 'CODE_ERROR', message: 'late', line: 1 },
    ],
    ['in a bare arrow after its first line', '// a\nasync (svc: any) => {\n  null.x;\n}', { code: 'CODE_ERROR', line: 3, column: 8 }],
    ['in the only fenced block of a text', 'So:\n```ts\nconst n: number = 1;\n  null.x\n```\nDone.', { line: 4, column: 8 }],
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
    ['a module', 'module.exports = 1', { message: expect.stringContaining('`return` the result of the code'), line: 1 }],
    ['a string', 'throw "just text"', { code: 'CODE_ERROR', message: 'just text' }],
    ['null', 'throw null', { code: 'CODE_ERROR', message: 'The code threw null' }],
    ['a code that the program chose', 'throw Object.assign(new Error("m"), { code: "MY_CODE" })', { code: 'MY_CODE', message: 'm' }],
    ['the code of a call that failed', 'await svc.echo.fail({})', { code: 'ACTION_FAILED' }],
    [
      'the code of a call that failed, thrown again',
      'try { await svc.echo.fail({}) } catch (e) { e.message = "m"; throw e }',
      { code: 'ACTION_FAILED', message: 'm' },
    ],
    [
      'a reserved code on an error of the program',
      'throw Object.assign(new Error("m"), { code: "APPROVAL_REJECTED" })',
      { code: 'CODE_ERROR', message: 'm' },
    ],
    ['a code with a reserved prefix', 'throw { code: "CODE_WHATEVER", message: "m" }', { code: 'CODE_ERROR', message: 'm' }],
    ['a code of the API', 'throw Object.assign(new Error("m"), { code: "QUOTA_EXCEEDED" })', { code: 'CODE_ERROR' }],
    [
      'another reserved code on the error of a call',
      'try { await svc.echo.fail({}) } catch (e) { e.code = "CODE_DIVERGED"; throw e }',
      { code: 'CODE_ERROR' },
    ],
    [
      'a reserved code, after the program has replaced methods of WeakMap',
      'WeakMap.prototype.get = () => "CODE_DIVERGED"; WeakMap.prototype.set = function () { throw 1 }; const e = await svc.echo.fail({}).catch((e) => e); e.code = "CODE_DIVERGED"; throw e',
      { code: 'CODE_ERROR' },
    ],
    [
      'an error that changes its code while it is read',
      'let n = 0; throw { get code() { return n++ ? "APPROVAL_REJECTED" : "MINE" }, message: "m" }',
      { code: 'MINE' },
    ],
  ])("%s: code, message, line and column in the caller's code", async (_what, code, expected) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', ...expected });
  });

  test.each([
    ['an unexpected token', 'const a = 1;\nlet b = ;', { line: 2, column: 9 }],
    ['an unfinished text', 'return (1 +', { message: 'Unexpected end of the code', line: 1 }],
    ['an export', 'export default async (svc) => 1', { message: expect.stringContaining('`return` the result of the code'), line: 1 }],
    ['an import', 'import fs from "fs"', { message: expect.stringContaining('use svc.<alias>'), line: 1, column: 1 }],
    ['a brace that is not closed', 'if (true) {\n  return 1', { message: 'Unexpected end of the code', line: 2, column: 11 }],
    ['a brace that closes the wrapper', '}); (async()=>{ return 5', { message: "Unexpected token '}'", line: 1, column: 1 }],
    ['an error after types', 'const a: string = "x";\nconst c = a +;', { message: 'Expression expected', line: 2, column: 14 }],
    ['deeply nested arrays', '['.repeat(50_000), { message: 'The code is nested too deeply' }],
    ['deeply nested brackets', `return ${'('.repeat(20_000)}1${')'.repeat(20_000)}`, { message: 'The code is nested too deeply' }],
  ])('%s is CODE_SYNTAX_ERROR', async (_what, code, expected) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', code: 'CODE_SYNTAX_ERROR', ...expected });
  });

  test.each([
    ['a function', 'return { a: () => 1 }', '"a" is a function'],
    ['a cycle', 'const a = {}; a.a = a; return a', 'refers to itself'],
    ['a BigInt', 'return { a: 1n }', 'is a BigInt'],
    ['a promise', 'return { a: svc.echo.say({}) }', 'put await'],
    ['a throwing getter', 'return { get a() { throw new Error("mine") } }', 'mine'],
  ])('an output with %s is refused with a reason', async (_what, code, reason) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_OUTPUT_NOT_JSON', message: expect.stringContaining(reason) });
  });

  test('values that JSON would lose are converted, or the log reports their loss', async () => {
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

  test('an object that only looks like a Map, a Set or a RegExp is returned like any other object', async () => {
    const code = `class Odd extends Map {} return [new Proxy(new Map([['a', 1]]), {}), new Proxy(new Set(), {}), Object.create(Map.prototype),
      Object.create(Odd.prototype), Object.create(RegExp.prototype), Uint8Array.prototype, Object.create(URLSearchParams.prototype)]`;
    expect(await returned(sandbox, code)).toEqual([{}, {}, {}, {}, {}, {}, {}]);
  });

  test('an Error in an output has its cause and its aggregated errors', async () => {
    const code = "return new AggregateError([new Error('a')], 'm', { cause: new Error('c') })";
    expect(await returned(sandbox, code)).toEqual({
      ...{ name: 'AggregateError', message: 'm', cause: { name: 'Error', message: 'c' } },
      errors: [{ name: 'Error', message: 'a' }],
    });
  });

  test('a result without a return differs from a returned null', async () => {
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
  ])('the error for %s names a replacement or the reason', async (code, advice) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_NOT_AVAILABLE', message: expect.stringContaining(advice), line: 1 });
  });

  test.each([
    ['return import("fs")', 1, 8],
    ['```ts\nconst m: unknown = [1, await import("fs")]\n```', 2, 30],
    ['() => import("fs")', 1, 7],
    ['const load = async () => {\n  await null;\n  const m = await import("a");\n};\nawait load(); await import("b")', 3, 19],
    ['return eval("import(1)")', 1, 8],
  ])('the error for %j has the position of the import()', async (code, line, column) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'CODE_NOT_AVAILABLE', line, column });
  });
});
