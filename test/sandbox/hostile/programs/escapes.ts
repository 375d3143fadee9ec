import type { HostileProgram } from '../hostile-program.ts';

/** Checks that functions compiled through a `constructor` see no host objects. */
const insideBy = (makers: string) =>
  `const isInside = (make) => make("return typeof module + typeof __filename + typeof exports + typeof global + (globalThis.svc !== undefined)")() === "undefinedundefinedundefinedundefinedtrue"; return ${makers}`;
const all = (values: string) => insideBy(`[${values}].every((value) => isInside(value.constructor.constructor))`);

/**
 * Constructors: programs that look for a path from a reachable object to a function of the host.
 */
export const ESCAPES: HostileProgram[] = [
  {
    what: 'constructors of its own functions',
    code: insideBy('[() => {}, function () {}, class {}, Object, Proxy].every((made) => isInside(made.constructor))'),
    ends: { returns: true },
  },
  {
    what: 'the constructor of async functions',
    code: 'const make = (async () => {}).constructor; return await make("return typeof process.env")().catch((e) => e.code)',
    ends: { returns: 'CODE_NOT_AVAILABLE' },
  },
  {
    what: 'the constructors of generators',
    code: 'const at = (make) => make("yield typeof module; yield globalThis.svc === svc")(); const a = at(function* () {}.constructor); const b = at(async function* () {}.constructor); return [...a, (await b.next()).value]',
    ends: { returns: ['undefined', true, 'undefined'] },
  },
  {
    what: 'constructors of svc and its functions',
    code: insideBy(
      '[svc.echo.say, svc["state-kv"].put].every((call) => isInside(call.constructor)) && svc.constructor === undefined && svc.echo.constructor === undefined',
    ),
    ends: { returns: true },
  },
  {
    what: 'constructors of call results',
    code: `const r = await svc.echo.say({ a: [1, { b: "c" }] }); ${all('r, r.a, r.a[0], r.a[1], r.a[1].b')}`,
    ends: { returns: true },
  },
  {
    what: 'constructors of errors thrown by calls',
    code: `const e = await svc.echo.fail({}).catch((error) => error); ${all('e, e.code, e.message, e.stack')} && e.constructor === Error`,
    ends: { returns: true },
  },
  {
    what: 'constructors of errors about calls that do not exist',
    code: `const errors = [() => svc.nope, () => svc.echo.nope, () => fetch("x"), () => process.env].map((f) => { try { f() } catch (e) { return e } }); ${insideBy('errors.every((e) => isInside(e.constructor.constructor) && e instanceof Error)')}`,
    ends: { returns: true },
  },
  {
    what: 'constructors of call promises',
    code: 'const p = svc.echo.say({}); return [p.constructor === Promise, Object.getPrototypeOf(p) === Promise.prototype, p.then.constructor("return globalThis")() === globalThis]',
    ends: { returns: [true, true, true] },
  },
  {
    what: 'constructors of the console and its functions',
    code: all('console, console.log, console.table, console.assert'),
    ends: { returns: true },
  },
  {
    what: 'constructors of timers and their handles',
    code: all('setTimeout, setInterval, clearTimeout, queueMicrotask, setTimeout(() => {}, 1)'),
    ends: { returns: true },
  },
  {
    what: 'constructors of URL and its parts',
    code: all('URL, new URL("http://a/?b=c"), new URL("http://a").searchParams, new URL("http://a").href, URL.parse, URLSearchParams'),
    ends: { returns: true },
  },
  {
    what: 'constructors of crypto, TextEncoder and performance',
    code: all(
      'crypto, crypto.randomUUID, crypto.getRandomValues(new Uint8Array(4)), TextEncoder, new TextEncoder().encode("x"), new TextDecoder(), performance, structuredClone({}), atob, btoa',
    ),
    ends: { returns: true },
  },
  {
    what: 'constructors of AbortController, its signal and its events',
    code: `const c = new AbortController(); let event; c.signal.addEventListener("abort", (e) => { event = e }); c.abort(); ${all('AbortController, c, c.signal, event, c.signal.reason')}`,
    ends: { returns: true },
  },
  {
    what: 'constructors of built-in errors',
    code: `const errors = [() => decodeURIComponent("%"), () => new URL("x"), () => JSON.parse("{"), () => new Array(-1), () => eval("("), () => null.x, () => structuredClone(() => {}), () => BigInt("x")].map((f) => { try { f() } catch (e) { return e } }); errors.push(await import("x").catch((e) => e)); ${insideBy('errors.every((e) => isInside(e.constructor.constructor))')}`,
    ends: { returns: true },
  },
  {
    what: 'the constructor of a stack overflow',
    code: `let e; const f = () => f(); try { f() } catch (error) { e = error } ${insideBy('isInside(e.constructor.constructor)')}`,
    ends: { returns: true },
  },
  {
    what: 'this of sloppy functions, arguments.callee and caller',
    code: 'function f() { return [this === globalThis, typeof arguments.callee.caller, f.caller === null || typeof f.caller] } const found = f(); let caller; try { (function g() { caller = g.caller })() } catch {} ; return [found[0], caller === null || caller === undefined || typeof caller === "function"]',
    ends: { returns: [true, true] },
  },
  {
    what: 'the caller of a callback that our code calls',
    code: 'const callers = []; function spy() { try { callers.push(String(spy.caller)) } catch (e) { callers.push(e.name) } return 1 } await svc.echo.say({ toJSON: spy }); [1].forEach(spy); setTimeout(spy, 1); queueMicrotask(spy); await new Promise((done) => setTimeout(done, 2)); return callers.every((one) => one === "null" || one === "TypeError" || one.includes("spy"))',
    ends: { returns: true },
  },
  {
    what: 'everything reachable, with its properties, prototypes and accessors',
    code: `const seen = new Set(); const found = new Set(); const queue = [globalThis, svc, svc.echo, svc.echo.say];
const keep = (read) => { try { queue.push(read()) } catch (error) { queue.push(error) } };
for (const read of [() => null.x, () => svc.nope, () => svc.echo.nope, () => process.env, () => fetch("x"), () => require("fs"), () => eval("("), () => new URL("x"), () => new Date().toString(), () => structuredClone(Symbol()), () => { const f = () => f(); f() }]) keep(read);
queue.push(await svc.echo.fail({}).catch((e) => e), await svc.echo.say({ a: 1 }), await import("node:fs").catch((e) => e), new URL("http://a/?b"), new AbortController(), new Error("x"), new Error("x", { cause: 1 }));
while (queue.length > 0 && seen.size < 5000) {
  const value = queue.pop();
  if (typeof value === "string") found.add(value);
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
  seen.add(value);
  if (typeof value === "function") keep(() => Function.prototype.toString.call(value));
  keep(() => String(value)); keep(() => Object.getPrototypeOf(value));
  let keys = []; try { keys = Reflect.ownKeys(value) } catch (error) { queue.push(error) }
  for (const key of keys.slice(0, 500)) {
    queue.push(typeof key === "symbol" ? key.description : key);
    keep(() => value[key]);
    keep(() => { const all = Reflect.getOwnPropertyDescriptor(value, key); queue.push(all.get, all.set); return all.value });
  }
}
return [...found].join("\\n").slice(0, 900000)`,
    ends: 'anyhow',
  },
];
