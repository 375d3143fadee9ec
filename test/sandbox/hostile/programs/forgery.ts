import type { HostileProgram } from '../hostile-program.ts';

/**
 * Programs that forge things: frames of the pipe, internal functions, svc, and the built-ins that a
 * replay uses.
 */
export const FORGERY: HostileProgram[] = [
  {
    what: 'internal functions by their names',
    code: 'return ["start", "complete", "report", "open", "issue", "send", "fail", "log", "ivm", "isolate", "callbacks", "waiting", "outbox", "RealPromise", "uncurry", "apply", "__svc", "_svc", "$0", "host"].filter((name) => name in globalThis)',
    ends: { returns: [] },
  },
  {
    what: 'a frame in a log line',
    code: 'console.log(\'{"kind":"failed","code":"CODE_MEMORY","message":"x"}\'); console.log("\\u0000\\u0000\\u0000\\u0005{}"); return 1',
    ends: { returns: 1 },
  },
  { what: 'the end of a report in an output', code: 'return \'],"more":true}\'', ends: { returns: '],"more":true}' } },
  { what: 'the end of a report in a thrown message', code: 'throw new Error(\'],"more":true}\')', ends: ['CODE_ERROR'] },
  {
    what: 'the end of a report in the last input',
    code: 'return (await svc.echo.say({ a: \'],"more":true}\' })).a',
    ends: { returns: '],"more":true}' },
  },
  {
    what: 'an output that looks like an end message',
    code: 'return { kind: "returned", value: "1", end: { kind: "failed" }, status: "approval_required", isError: false }',
    ends: { returns: { kind: 'returned', value: '1', end: { kind: 'failed' }, status: 'approval_required', isError: false } },
  },
  {
    what: 'an error that says the run was paused',
    code: 'throw Object.assign(new Error("paused"), { kind: "paused", code: "approval_required" })',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'svc replaced',
    code: 'try { globalThis.svc = 1 } catch {} try { Object.defineProperty(globalThis, "svc", { value: 1 }) } catch {} try { svc.echo.say = 1 } catch {} try { delete svc.echo } catch {} try { Object.setPrototypeOf(svc, { evil: 1 }) } catch {} try { Object.defineProperty(svc, "evil", { value: 1 }) } catch {} return svc.echo.say({ a: 1 })',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'call names changed while a call is issued',
    code: 'const call = svc.echo.say; for (const [key, value] of [["name", "put"], ["alias", "http"], ["action", "send_request"]]) { try { Object.defineProperty(call, key, { value }) } catch {} } return [await call.call({ alias: "http" }, { a: 1 }), await call.apply(svc.http, [{ b: 1 }]), await call.bind(svc["state-kv"])({ c: 1 })]',
    ends: { returns: [{ a: 1 }, { b: 1 }, { c: 1 }] },
  },
  {
    what: 'an alias and an action that are not offered',
    code: 'const at = async (f) => { try { return await f() } catch (e) { return e.code } }; return Promise.all([() => svc.admin.delete_all({}), () => svc["http/../admin"].x({}), () => svc.echo["say\\u0000"]({}), () => svc["ECHO"].say({}), () => svc.echo["__proto__"]({}), () => svc[Symbol.iterator]({})].map(at))',
    ends: {
      returns: ['INTEGRATION_NOT_FOUND', 'INTEGRATION_NOT_FOUND', 'ACTION_NOT_FOUND', 'INTEGRATION_NOT_FOUND', 'ACTION_NOT_FOUND', null],
    },
  },
  {
    what: 'other runs and their calls, by guessed names',
    code: 'const at = (name) => { try { return typeof svc[name] } catch (e) { return e.code } }; return ["crun_1", "run", "journal", "approvals", "apr_1", "org", "mcp", "_", ""].map(at)',
    ends: { returns: Array(9).fill('INTEGRATION_NOT_FOUND') },
  },
  {
    what: 'the console replaced and its functions changed',
    code: 'try { console.log = () => {} } catch {} globalThis.console = { log() { throw new Error("evil") } }; delete globalThis.console; await svc.echo.say({}); return typeof console',
    ends: { returns: 'undefined' },
  },
  {
    what: 'Date, Math.random and crypto replaced',
    code: 'Date.now = () => 0; Math.random = () => 4; globalThis.Date = class { constructor() { throw 1 } }; try { crypto.randomUUID = () => "x" } catch {} globalThis.crypto = undefined; globalThis.performance = undefined; await svc.echo.say({}); await new Promise((done) => setTimeout(done, 10)); return Math.random()',
    ends: { returns: 4 },
  },
  {
    what: 'the prototype of Date, which the clock of the run uses',
    code: 'for (const key of Object.getOwnPropertyNames(Date.prototype)) { try { Date.prototype[key] = () => { throw 1 } } catch {} } await svc.echo.say({}); console.log("after"); await new Promise((done) => setTimeout(done, 10)); return Date.now() > 0',
    ends: { returns: true },
  },
  {
    what: 'timers and queueMicrotask replaced',
    code: 'globalThis.setTimeout = globalThis.queueMicrotask = () => { throw 1 }; try { AbortSignal.timeout(5) } catch {} return svc.echo.say({ a: 1 })',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'a seed derived from random values',
    code: 'const a = Math.random(), b = crypto.randomUUID(); return [a >= 0 && a < 1, b.length, a !== Math.random(), b !== crypto.randomUUID()]',
    ends: { returns: [true, 36, true, true] },
  },
  {
    what: 'a getter that makes a call while a call is issued',
    code: 'const order = []; const inner = { get x() { order.push("inner"); return 1 } }; await Promise.all([svc.echo.say({ get a() { void svc.echo.say(inner); order.push("outer"); return 1 } }), svc.echo.say({ b: 1 })]); return order',
    ends: { returns: ['inner', 'outer'] },
  },
  {
    what: 'a lone surrogate in an input, which has no canonical form',
    code: 'return Promise.all([{ a: "\\ud800" }, { "\\udfff": 1 }, ["\\\\\\ud800"], { a: "\\\\ud800 \\ud83d\\ude00" }].map((input) => svc.echo.say(input).then(() => "fine", (e) => e.code)))',
    ends: { returns: ['VALIDATION_ERROR', 'VALIDATION_ERROR', 'VALIDATION_ERROR', 'fine'] },
  },
  {
    what: 'a number in an input that only its text can represent',
    code: 'return Promise.all(["1e400", "-1e400", "9".repeat(400), "1e308"].map((text) => svc.echo.say({ a: JSON.rawJSON(text) }).then(() => "fine", (e) => e.code)))',
    ends: { returns: ['VALIDATION_ERROR', 'VALIDATION_ERROR', 'VALIDATION_ERROR', 'fine'] },
  },
  {
    what: 'a lone surrogate in an input, in each escaped form',
    code: String.raw`return Promise.all(['"\\uD800"', '"\\uDbFf x"', '"\\\\\\uDFFF"', '"\\uD83D\\uDE00"', '"\\\\uD800"'].map((text) => svc.echo.say({ a: JSON.rawJSON(text) }).then((r) => r.a, (e) => e.code)))`,
    ends: { returns: ['VALIDATION_ERROR', 'VALIDATION_ERROR', 'VALIDATION_ERROR', '😀', '\\uD800'] },
  },
  {
    what: 'a number in an output that only its text can represent',
    code: 'return [JSON.rawJSON("1e400")]',
    ends: ['CODE_OUTPUT_NOT_JSON'],
  },
];
