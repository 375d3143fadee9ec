import type { HostileProgram } from '../hostile-program.ts';

const SLY =
  'new Proxy(function () {}, { get(_, key) { throw new Error("asked for " + String(key)) }, has() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }, getOwnPropertyDescriptor() { throw 4 }, apply() { throw 5 } })';

/**
 * Programs with getters and proxies in values that the host reads: thrown values, outputs, inputs,
 * log arguments.
 */
export const GETTERS_AND_PROXIES: HostileProgram[] = [
  { what: 'a thrown value with an endless getter', code: 'throw { get message() { while (true); } }', ends: ['CODE_TIMEOUT'] },
  { what: 'a thrown proxy that never answers', code: 'throw new Proxy({}, { get() { while (true); } })', ends: ['CODE_TIMEOUT'] },
  { what: 'a thrown proxy that throws', code: `throw ${SLY}`, ends: ['CODE_ERROR'] },
  {
    what: 'a thrown value whose getter throws a value with a throwing getter',
    code: 'throw { get message() { throw { get message() { throw this } } } }',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a thrown revoked proxy',
    code: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a thrown value with megabytes of text',
    code: 'throw { name: "x".repeat(1e6), message: "y".repeat(4e6), code: "Z".repeat(1e6), stack: "w".repeat(4e6) }',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a thrown symbol',
    code: 'const all = [Symbol("x"), () => {}, 1n, null, undefined]; for (const one of all.slice(1)) setTimeout(() => {}, 1); throw all[0]',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a forged position outside the source',
    code: 'throw { message: "m", stack: "\\n    at x (code.js:99999999999:99999999999)" }',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a forged position of four hundred digits',
    code: 'throw Object.assign(new Error("m"), { stack: "\\n    at x (code.js:" + "9".repeat(400) + ":0)" })',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a forged position before the first column',
    code: 'throw Object.assign(new Error("m"), { stack: "\\n    at x (code.js:0:0)" })',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'an invalid forged code',
    code: 'throw Object.assign(new Error("m"), { code: "CODE_TIMEOUT\\n\\"}" })',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a name with quotes, NUL and lone surrogates',
    code: 'const e = new Error("\\u0000\\ud800\\"}],\\"more\\":true}"); e.name = "\\u0000\\udfff"; throw e',
    ends: ['CODE_ERROR'],
  },
  { what: 'an output that is a proxy that throws', code: `return { a: ${SLY} }`, ends: ['CODE_ERROR', 'CODE_OUTPUT_NOT_JSON'] },
  {
    what: 'an output that is a proxy with endless keys',
    code: 'return new Proxy({}, { ownKeys() { while (true); } })',
    ends: ['CODE_TIMEOUT'],
  },
  {
    what: 'an output whose proxy lies about its keys',
    code: 'return new Proxy({}, { ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, key) => key === "toJSON" || key === "then" ? undefined : key })',
    ends: { returns: { a: 'a', b: 'b' } },
  },
  {
    what: 'an output with arrays that grow while they are read',
    code: 'const all = [1]; return new Proxy(all, { get(target, key) { if (key === "length") return 2 ** 40; if (key === "then" || key === "toJSON") return undefined; return 1 } })',
    ends: ['CODE_MEMORY', 'CODE_TIMEOUT', 'CODE_OUTPUT_TOO_LARGE', 'CODE_OUTPUT_NOT_JSON'],
  },
  { what: 'an output with toJSON that never ends', code: 'return { toJSON() { while (true); } }', ends: ['CODE_TIMEOUT'] },
  {
    what: 'an output whose toJSON makes a call',
    code: 'return { toJSON() { svc.echo.say({ late: 1 }); return 5 } }',
    ends: { returns: 5 },
  },
  {
    what: 'an output whose getter replaces JSON in the middle',
    code: 'return { get a() { JSON.stringify = () => "forged"; Object.prototype.toJSON = () => "forged"; return 1 }, b: 2 }',
    ends: 'anyhow',
  },
  {
    what: 'an output of a million getters',
    code: 'const o = {}; for (let i = 0; i < 1e6; i++) Object.defineProperty(o, "k" + i, { get: () => "v".repeat(1000), enumerable: true }); return o',
    ends: ['CODE_MEMORY', 'CODE_TIMEOUT', 'CODE_OUTPUT_TOO_LARGE', 'CODE_OUTPUT_NOT_JSON'],
  },
  { what: 'an input with a getter that never ends', code: 'await svc.echo.say({ get a() { while (true); } })', ends: ['CODE_TIMEOUT'] },
  {
    what: 'an input whose getter makes calls itself',
    code: 'const r = await svc.echo.say({ get a() { svc.echo.say({ inner: 1 }); return "outer" } }); return r',
    ends: { returns: { a: 'outer' } },
  },
  {
    what: 'an input that is a proxy that throws',
    code: `return await svc.echo.say(${SLY}).catch((e) => typeof e.code)`,
    ends: { returns: 'string' },
  },
  {
    what: 'an input that refers to itself through a getter',
    code: 'return await svc.echo.say({ get a() { return this } }).catch((e) => e.code)',
    ends: { returns: 'VALIDATION_ERROR' },
  },
  {
    what: 'an input that changes on each read',
    code: 'let n = 0; const input = { get a() { return ++n } }; const r = await svc.echo.say(input); return [r.a, n]',
    ends: { returns: [1, 1] },
  },
  { what: 'a logged value with a getter that never ends', code: 'console.log({ get a() { while (true); } })', ends: ['CODE_TIMEOUT'] },
  {
    what: 'a logged value whose getters throw',
    code: `console.log({ get a() { throw new Error("x") } }, ${SLY}, [${SLY}], new Map([[${SLY}, 1]])); return 1`,
    ends: { returns: 1 },
  },
  {
    what: 'a logged error whose name and message are getters',
    code: 'const e = new Error(); Object.defineProperty(e, "name", { get() { throw 1 } }); Object.defineProperty(e, "message", { get() { return { toString() { throw 2 } } } }); console.error(e, Object.create(e)); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'a logged value that contains itself exponentially often',
    code: 'let a = 1; for (let i = 0; i < 6; i++) a = Array(100).fill(a); let b = "x"; for (let i = 0; i < 6; i++) b = { ...Array(100).fill(b) }; console.log(a, b); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'logged values with lone surrogates, NUL and escape codes',
    code: 'console.log("\\ud800 \\u0000 \\u001b[2J \\u2028", { "\\udfff": "\\u0000" }, "\\"}\\n{\\"kind\\":\\"failed\\"}"); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'an abort reason, a listener and a signal that are proxies',
    code: `const c = new AbortController(); c.signal.addEventListener("abort", ${SLY}); try { c.abort(${SLY}) } catch {} try { AbortSignal.any([${SLY}]) } catch {} return 1`,
    ends: { returns: 1 },
  },
  {
    what: 'getters in cloned, encoded and parsed values',
    code: `for (const read of [() => structuredClone(${SLY}), () => new TextEncoder().encode(${SLY}), () => atob(${SLY}), () => new URL(${SLY}), () => new URLSearchParams(${SLY}), () => setTimeout(${SLY}, ${SLY}), () => new Date(${SLY}), () => crypto.getRandomValues(${SLY})]) { try { read() } catch {} } return 1`,
    ends: 'anyhow',
  },
];
