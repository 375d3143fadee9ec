import { homedir, hostname } from 'node:os';
import type { Sandbox } from '../../sandbox/open-sandbox.ts';
import { aSandbox, returned, run } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

/** What each program returns when there is nothing to be found; programs with `anything` are only searched for traces of the host. */
const anything: unknown = expect.anything();
const PROBES: [what: string, code: string, expected: unknown][] = [
  [
    'constructors of functions',
    'return (() => {}).constructor("return [typeof module, typeof __filename, typeof exports]")()',
    ['undefined', 'undefined', 'undefined'],
  ],
  [
    'constructors of calls',
    'return [svc.echo.say, console.log, setTimeout, URL, Date.now, crypto.randomUUID].every((f) => f.constructor("return this")() === globalThis)',
    true,
  ],
  [
    'constructors of results',
    'const r = await svc.echo.say({ a: [1] }); return [r, r.a].every((v) => v.constructor.constructor("return globalThis")() === globalThis)',
    true,
  ],
  [
    'constructors of failures',
    'try { await svc.echo.fail({}) } catch (e) { return [e.constructor === Error, e.constructor.constructor("return globalThis")() === globalThis] }',
    [true, true],
  ],
  [
    'constructors of promises',
    'const p = svc.echo.say({}); return [p.constructor === Promise, Object.getPrototypeOf(p) === Promise.prototype]',
    [true, true],
  ],
  [
    'stack frames',
    'Error.prepareStackTrace = (e, frames) => frames; const at = (f) => { try { return f() } catch (e) { return String(e) } }; return new Error().stack.slice(1).map((f) => [f.getEvalOrigin(), at(() => typeof f.getThis()), at(() => typeof f.getFunction()), f.getTypeName()])',
    [
      [null, 'undefined', 'undefined', null],
      [null, 'undefined', 'undefined', null],
    ],
  ],
  [
    'stack text',
    'try { null.x } catch (e) { return e.stack }',
    "TypeError: Cannot read properties of null (reading 'x')\n    at eval (code.js:1:12)",
  ],
  [
    'stack of a failed call',
    'try { await svc.echo.fail({}) } catch (e) { return e.stack }',
    'Error: failed with {}\n    at eval (code.js:1:22)',
  ],
  [
    'stack overflow',
    'const f = () => f(); try { f() } catch (e) { return e.stack }',
    expect.stringContaining('Maximum call stack size exceeded\n    at f (code.js:1:17)'),
  ],
  [
    'errors of the language',
    'return [() => eval("("), () => new URL("x"), () => decodeURIComponent("%"), () => structuredClone(() => {}), () => svc.nope].map((f) => { try { f() } catch (e) { return e.stack } })',
    anything,
  ],
  [
    'what functions are made of',
    'return [String(svc.echo.say), String(console.log), String(URL), String(Date), Object.getOwnPropertyNames(svc.echo.say)]',
    anything,
  ],
  ['callers of functions', 'function f() { return f.caller } try { return String(f()) } catch (e) { return String(e) }', anything],
  [
    'getters on the prototype',
    'Object.defineProperty(Object.prototype, "code", { get() { return "seen" }, configurable: true }); return svc.echo.fail({}).catch((e) => e.code)',
    'ACTION_FAILED',
  ],
  [
    'then on the prototype',
    'Object.prototype.then = function (done) { delete Object.prototype.then; done(Object.keys(this)) }; return svc.echo.say({ a: 1 })',
    ['a'],
  ],
  [
    'built-ins replaced',
    'JSON.stringify = JSON.parse = RegExp.prototype.exec = String.prototype.slice = Array.prototype.push = Map.prototype.get = () => "evil"; return svc.echo.say({ a: 1 })',
    { a: 1 },
  ],
  [
    'array setters',
    'Object.defineProperty(Array.prototype, "0", { set() { throw new Error("set") }, configurable: true }); return svc.echo.say({ a: 1 })',
    { a: 1 },
  ],
  [
    'toJSON on prototypes',
    'Object.prototype.toJSON = String.prototype.toJSON = Array.prototype.toJSON = () => "forged"; return svc.echo.say({ a: 1 }).then((r) => r === "forged")',
    true,
  ],
  [
    'replacing svc',
    'try { globalThis.svc = 1 } catch {} try { Object.defineProperty(globalThis, "svc", { value: 1 }) } catch {} svc.echo.say = 1; delete svc.echo; return svc.echo.say({ a: 1 })',
    { a: 1 },
  ],
  [
    'names of objects as aliases',
    'return ["__proto__", "hasOwnProperty", "__defineGetter__"].map((name) => { try { return typeof svc[name] } catch (e) { return e.code } })',
    ['INTEGRATION_NOT_FOUND', 'INTEGRATION_NOT_FOUND', 'INTEGRATION_NOT_FOUND'],
  ],
  [
    'import',
    'return Promise.allSettled([import("node:fs"), import("data:text/javascript,1"), eval("import(\'fs\')")]).then((all) => all.map((one) => one.status))',
    ['rejected', 'rejected', 'rejected'],
  ],
  ['timers', 'return [Object.isFrozen(console), typeof setTimeout(() => {}, 0)]', [true, 'number']],
];

test.each(PROBES)('%s show nothing of the host', async (_what, code, expected) => {
  const result = await run(sandbox, code);
  expect(result).toMatchObject({ kind: 'returned' });
  const value = result.kind === 'returned' ? (JSON.parse(result.value) as unknown) : undefined;
  expect(value).toEqual(expected);
  for (const trace of [process.cwd(), homedir(), hostname(), process.execPath, 'node_modules', 'node:internal', '/sandbox/', 'file://']) {
    if (trace.length > 4) expect(JSON.stringify(result)).not.toContain(trace);
  }
});

test("promises of the caller's own making end in a result, whatever they do", async () => {
  const code =
    'Object.defineProperty(Promise, Symbol.species, { value: class { constructor(f) { f(() => {}, () => {}) } } }); Promise.prototype.then = () => {}; return svc.echo.say({})';
  expect(await run(sandbox, code)).toMatchObject({ kind: 'failed', error: { code: 'CODE_STALLED' } });
});

test('one run leaves nothing for the next', async () => {
  await run(sandbox, 'globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = () => "evil"; return 1');
  expect(await returned(sandbox, 'return [typeof left, [1].map((n) => n)]')).toEqual(['undefined', [1]]);
});

test('runs at the same time do not see each other', async () => {
  const code = (n: number) => `globalThis.mine = ${n}; for (let i = 0; i < 5; i++) await svc.echo.say({ i }); return mine`;
  expect(await Promise.all([1, 2, 3, 4].map((n) => returned(sandbox, code(n))))).toEqual([1, 2, 3, 4]);
});
