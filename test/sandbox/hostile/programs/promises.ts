import type { HostileProgram } from '../hostile-program.ts';

/**
 * Programs with unusual promises: species, thenables, unhandled rejections, and promises that never
 * settle.
 */
export const PROMISES: HostileProgram[] = [
  {
    what: 'Symbol.species of Promise and a then that does nothing',
    code: 'Object.defineProperty(Promise, Symbol.species, { value: class { constructor(f) { f(() => {}, () => {}) } } }); Promise.prototype.then = () => {}; return svc.echo.say({})',
    ends: ['CODE_STALLED'],
  },
  {
    what: 'a subclass of Promise whose then lies',
    code: 'class Lie extends Promise { then(done) { return super.then(() => done("lie")) } } return await Lie.resolve(svc.echo.say({ a: 1 }))',
    ends: { returns: 'lie' },
  },
  { what: 'a returned thenable that never ends', code: 'return { then() { while (true); } }', ends: ['CODE_TIMEOUT'] },
  {
    what: 'a returned thenable of endless thenables',
    code: 'const again = { then(done) { done({ ...again }) } }; return again',
    ends: ['CODE_TIMEOUT'],
  },
  {
    what: 'a returned thenable that resolves twice and then throws',
    code: 'return { then(done, fail) { done(1); done(2); fail(3); throw 4 } }',
    ends: { returns: 1 },
  },
  {
    what: 'a returned thenable whose then is a getter that throws',
    code: 'return { get then() { throw new Error("asked") } }',
    ends: ['CODE_ERROR'],
  },
  { what: 'an output that contains a promise', code: 'return { a: Promise.resolve(1) }', ends: ['CODE_OUTPUT_NOT_JSON'] },
  { what: 'a promise that nothing settles', code: 'await new Promise(() => {})', ends: ['CODE_STALLED'] },
  {
    what: 'a promise that waits for itself',
    code: 'let done; const p = new Promise((d) => { done = d }); const q = p.then(() => q); done(); await q',
    ends: ['CODE_ERROR', 'CODE_STALLED'],
  },
  {
    what: 'a call that is never awaited, then a promise that never settles',
    code: 'svc.echo.say({}); await new Promise(() => {})',
    ends: ['CODE_STALLED'],
  },
  {
    what: 'unhandled rejections, before and after a call',
    code: 'Promise.reject(new Error("early")); await svc.echo.say({}); Promise.reject(new Error("late")); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'an unhandled rejection with a message about memory and disposal',
    code: 'Promise.reject(new Error("Isolate was disposed during execution due to memory limit")); await svc.echo.say({}); Promise.reject(new Error("out of memory")); await svc.echo.say({}); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'an unhandled rejection with endless getters',
    code: 'Promise.reject({ get stack() { while (true); }, get message() { while (true); } }); return 1',
    ends: ['CODE_TIMEOUT'],
  },
  {
    what: 'ten thousand unhandled rejections',
    code: 'for (let i = 0; i < 1e4; i++) Promise.reject(new Error("x" + i)); await svc.echo.say({}); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'a throw inside a timer',
    code: 'setTimeout(() => { throw { get message() { return "from a timer" } } }, 1); await new Promise(() => {})',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a resolver kept and called after the return',
    code: 'let done; const p = new Promise((d) => { done = d }); setTimeout(() => { done(2); done(3) }, 5); return Promise.race([p, p.then(() => 4)])',
    ends: { returns: 2 },
  },
  {
    what: 'an async generator left half way',
    code: 'async function* all() { try { yield await svc.echo.say({ a: 1 }); yield 2 } finally { await svc.echo.say({ b: 1 }) } } for await (const one of all()) return one',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'awaiting non-promises in many ways',
    code: 'let n = 0; for (const odd of [0, "", null, undefined, 1n, Symbol(), {}, [], () => {}, svc, svc.echo, svc.echo.say]) { await odd; n++ } return n',
    ends: { returns: 12 },
  },
  {
    what: 'Promise.prototype.constructor as a getter that never ends',
    code: 'Object.defineProperty(Promise.prototype, "constructor", { get() { while (true); } }); await svc.echo.say({}); return 1',
    ends: ['CODE_TIMEOUT'],
  },
];
