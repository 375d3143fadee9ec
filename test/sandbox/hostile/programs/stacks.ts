import type { HostileProgram } from '../hostile-program.ts';

/** Programs that look for information in stack traces: through hooks, frames and messages. */
export const STACKS: HostileProgram[] = [
  {
    what: 'Error.prepareStackTrace, to be handed frames',
    code: 'let frames = 0; Error.prepareStackTrace = (_e, sites) => { frames += sites.length; return sites.map(String) }; try { svc.echo.nope } catch (e) { e.stack } await svc.echo.fail({}).catch((e) => e.stack); return [typeof new Error("x").stack, frames]',
    ends: { returns: ['string', 0] },
  },
  {
    what: 'Error.prepareStackTrace in strict code, by defineProperty, deletion and a frozen Error',
    code: '"use strict"; const hook = (_e, sites) => sites; Error.prepareStackTrace = hook; for (const attempt of [() => Object.defineProperty(Error, "prepareStackTrace", { value: hook }), () => { delete Error.prepareStackTrace }, () => Reflect.set(Error, "prepareStackTrace", hook), () => Object.setPrototypeOf(Error, { prepareStackTrace: hook })]) { try { attempt() } catch {} } return [typeof new Error("x").stack, typeof new TypeError("x").stack, typeof (class Own extends Error { static prepareStackTrace(_e, s) { return s } }, new (class Own extends Error { static prepareStackTrace(_e, s) { return s } })("x").stack)]',
    ends: { returns: ['string', 'string', 'string'] },
  },
  {
    what: 'Error.prepareStackTrace called with forged frames',
    code: 'return [Error.prepareStackTrace(new Error("a"), [{ toString: () => "code.js:5:5" }, 1, null]), typeof Error.prepareStackTrace({ toString: () => "b" }, { length: 3 })]',
    ends: 'anyhow',
  },
  {
    what: 'Error.captureStackTrace on objects, functions and frozen things',
    code: 'const o = {}; Error.captureStackTrace(o); function f() { const p = {}; Error.captureStackTrace(p, f); return p.stack } let frozen = "no"; try { Error.captureStackTrace(Object.freeze({})) } catch (e) { frozen = e.name } return [o.stack, f(), frozen, typeof svc.echo.say.stack]',
    ends: 'anyhow',
  },
  {
    what: 'an infinite Error.stackTraceLimit, and captureStackTrace on non-objects',
    code: 'Error.stackTraceLimit = Infinity; const f = (n) => (n ? f(n - 1) : new Error("deep").stack); const deep = f(500).length > 1000; Error.stackTraceLimit = { valueOf() { throw 1 } }; await svc.echo.fail({}).catch(() => {}); Object.defineProperty(Error, "stackTraceLimit", { get() { throw 1 } }); return [deep, await svc.echo.fail({}).catch((e) => e.code)]',
    ends: { returns: [true, 'ACTION_FAILED'] },
  },
  {
    what: 'an unlimited stack trace of a stack overflow',
    code: 'Error.stackTraceLimit = 1e9; const f = () => f(); f()',
    ends: ['CODE_TIMEOUT', 'CODE_MEMORY', 'CODE_ERROR'],
  },
  {
    what: 'the stack of an error thrown by svc',
    code: 'try { svc.echo.nope } catch (e) { return e.stack }',
    ends: { returns: 'Error: There is no action "nope" in svc.echo. There are: say, fail, held.\n    at eval (code.js:1:16)' },
  },
  {
    what: 'the stack of a failed call',
    code: 'try { await svc.echo.fail({}) } catch (e) { return e.stack }',
    ends: { returns: 'Error: failed with {}\n    at eval (code.js:1:22)' },
  },
  {
    what: 'the stack of a built-in error',
    code: 'try { null.x } catch (e) { return e.stack }',
    ends: { returns: "TypeError: Cannot read properties of null (reading 'x')\n    at eval (code.js:1:12)" },
  },
  {
    what: 'stacks from inside callbacks, clones, encoders and parsers',
    code: 'const stacks = []; const spy = { toJSON() { stacks.push(new Error("in toJSON").stack) }, toString() { stacks.push(new Error("in toString").stack); return "x" }, get a() { stacks.push(new Error("in a getter").stack); return 1 } }; await svc.echo.say(spy); console.log(spy); structuredClone({ get a() { return spy.a } }); new TextEncoder().encode(spy); try { new URL(spy) } catch (e) { stacks.push(e.stack) } try { structuredClone(() => {}) } catch (e) { stacks.push(e.stack) } queueMicrotask(() => stacks.push(new Error("in a microtask").stack)); await new Promise((done) => setTimeout(() => { stacks.push(new Error("in a timer").stack); done() }, 1)); return stacks',
    ends: 'anyhow',
  },
  {
    what: 'source names of evaluated code that imitate internal names or files',
    code: 'const at = (name) => { try { return eval("(() => { throw new Error(1) })()\\n//# sourceURL=" + name) } catch (e) { return e.stack } }; return ["runner", "bootstrap", "code.js", "code.js:1:1", "../../x"].map(at).every((stack) => typeof stack === "string")',
    ends: { returns: true },
  },
  {
    what: 'messages of errors about internal functions and objects',
    code: 'const at = (f) => { try { return String(f()) } catch (e) { return e.message } }; return [() => new svc.echo.say(), () => svc.echo.say.call.call(1), () => svc(), () => console.log.x.y, () => new setTimeout(), () => Reflect.construct(URL, [], svc), () => URL.prototype.href, () => new AbortSignal(), () => Date.prototype.getTime.call(svc), () => svc.echo.say.caller, () => svc.echo.say.arguments, () => Object.defineProperty(svc, "x", { value: 1 }), () => Object.freeze(console).log(1), () => crypto.randomUUID.call(1), () => JSON.stringify(svc), () => svc + "", () => svc + 1].map(at)',
    ends: 'anyhow',
  },
];
