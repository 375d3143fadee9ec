import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { aSandbox, errorOf, returned, run, STARTED_AT } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

describe('accepted forms of code', () => {
  test.each([
    ['top-level await and return', 'const a = await svc.echo.say({ n: 1 }); return a.n + 1', 2],
    ['one bare async arrow', 'async () => { const { n } = await svc.echo.say({ n: 1 }); return n + 1; }', 2],
    ['one bare arrow with a comment before it', '// adds\n() => 2;', 2],
    ['an arrow with the parameter svc', 'async (svc) => (await svc.echo.say({ n: 2 })).n', 2],
    ['one bare arrow that is not async', '() => 2', 2],
    ['a bare arrow in brackets', '((() => 2));', 2],
    ['a bare arrow with semicolons, a directive and comments', '"use strict"; /* a */ async () => 2; /* b */ ; // c', 2],
    ['a bare arrow that destructures svc', 'async ({ echo }) => (await echo.say({ n: 2 })).n;', 2],
    ['a bare arrow with types, in a fence', '```ts\nasync (svc: any): Promise<number> => 2;\n```', 2],
    ['Markdown fences', '```ts\nreturn 2\n```\n', 2],
    ['a fence of any kind', '\uFEFF  ~~~~typescript title="x" {1}\r\nconst n: number = 2; return n\r\n~~~~  \n', 2],
    ['a fence that is not closed', '```js\nreturn 2', 2],
    ['one fenced block in prose', 'Here it is:\n\n```js\nreturn 2\n```\n\nIt returns two.', 2],
    ['a template literal that contains fences', 'return `\n~~~\nx\n~~~\n`.length', 11],
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
])('%j is refused, and the error gives reason and position', async (code, advice, line, column) => {
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
  ])('works with %s', async (_what, code) => {
    expect(await returned(sandbox, code)).toEqual({ a: 1 });
  });

  test('a call without input sends an empty object', async () => {
    expect(await returned(sandbox, 'return svc.echo.say()')).toEqual({});
  });

  test('svc can be inspected and awaited like an ordinary object', async () => {
    const code =
      'await svc; await svc.echo; return [Object.keys(svc), Object.keys(svc.echo), "nope" in svc, "state-kv" in svc, JSON.stringify(svc)]';
    expect(await returned(sandbox, code)).toEqual([['state_kv', 'http', 'echo'], ['say', 'fail'], false, true, expect.any(String)]);
  });

  test('a failed call throws an Error with the error code of the failure', async () => {
    const code = 'try { await svc.echo.fail({ a: 1 }) } catch (e) { return [e instanceof Error, e.code, e.message] }';
    expect(await returned(sandbox, code)).toEqual([true, 'ACTION_FAILED', 'failed with {"a":1}']);
  });

  test('the details of a failure are readable, and absent if there are none', async () => {
    const code = `const detailsOf = (call) => call.catch((e) => [Object.keys(e), e.details, JSON.stringify(e.details ?? null)]);
      return [await detailsOf(svc.echo.fail({ details: { issues: [{ path: 'to' }] } })), await detailsOf(svc.echo.fail({}))]`;
    const [told, untold] = (await returned(sandbox, code)) as unknown[];
    expect(told).toEqual([['code', 'details'], { issues: [{ path: 'to' }] }, '{"issues":[{"path":"to"}]}']);
    expect(untold).toEqual([['code'], null, 'null']);
  });

  test('an uncaught failure of a call ends the run with the error code of the failure, at the position of the call', async () => {
    const error = await errorOf(sandbox, 'const a = 1;\n  await svc.echo.fail({});');
    expect(error).toEqual({ kind: 'threw', code: 'ACTION_FAILED', message: 'failed with {}', line: 2, column: 18 });
  });

  test('an error about an unknown alias or action suggests the nearest name', async () => {
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

  test('if the code changed built-ins, the error still names the unknown action, without a suggestion', async () => {
    const code = 'Map = undefined; String.prototype.toLowerCase = () => { throw 1 }; await svc.echo.shout()';
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'ACTION_NOT_FOUND', message: 'There is no action "shout" in svc.echo.' });
  });

  test('calls that are not awaited are still made before the run ends', async () => {
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
  ])('a call with %s is refused with a reason', async (_what, code, reason) => {
    expect(await errorOf(sandbox, code)).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining(reason), line: 1 });
  });
});

test("console lines carry level, text and the run's time", async () => {
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
