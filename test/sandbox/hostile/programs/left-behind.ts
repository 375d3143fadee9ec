import { WORLD } from '../world.ts';

/** A program that tries to leave something behind for the next pass of its principal. */
export interface LeavingProgram {
  /** What the program tries to leave behind. */
  what: string;
  code: string;
  /** The code of the next pass, which must end as in a new process. */
  next: string;
}

/** Programs after which the process is kept for another pass. */
export const LEFT_BEHIND: LeavingProgram[] = [
  {
    what: 'globals, configurable or not',
    code: `const g = (() => {}).constructor('return globalThis')(); g.left = 'here'; Object.defineProperty(g, 'Array', { value: 1 });
      Object.defineProperty(g, 'fixed', { get: () => 'here', configurable: false }); return 1`,
    next: WORLD,
  },
  {
    what: 'members and methods of prototypes',
    code: `Object.prototype.left = 1; Array.prototype.map = () => 'left'; String.prototype.replace = () => 'left';
      Promise.prototype.then = function () { return this }; Date.prototype.getTime = () => 1; return 1`,
    next: WORLD,
  },
  {
    what: 'getters and setters on Object.prototype that see every assignment',
    code: `globalThis.caught = []; for (const key of ['value', 'code', 'kind', 'input', 'number', 'then', 'toJSON'])
      Object.defineProperty(Object.prototype, key, Object.assign(Object.create(null), { get() { caught.push(this) }, set(v) { caught.push(v) }, configurable: true })); return 1`,
    next: WORLD,
  },
  {
    what: 'frozen prototypes and globals that cannot be extended',
    code: `for (const it of [Object, Array, Promise, Function, String, Map, Set, Error, Date, URL, AbortSignal]) { Object.freeze(it); Object.freeze(it.prototype) }
      Object.preventExtensions(globalThis); return 1`,
    next: `globalThis.mine = 1; Array.prototype.mine = 2; ${WORLD}`,
  },
  {
    what: 'constructors of functions that ignore the given code',
    code: `for (const f of [() => {}, async () => {}, function* () {}, async function* () {}]) {
      const proto = Object.getPrototypeOf(f); Object.defineProperty(proto, 'constructor', { value: () => () => 'left' }) } return 1`,
    next: `return [(() => {}).constructor('return 5')(), await (async () => {}).constructor('return 6')()]`,
  },
  {
    what: 'a hook for stack traces, and their limit',
    code: `Error.stackTraceLimit = 1000; Error.prepareStackTrace = () => 'left'; Error.captureStackTrace = () => { throw 1 }; return 1`,
    next: `const deep = (n) => n > 0 ? deep(n - 1) : new Error('here').stack.split('\\n').length; return [deep(30), Error.stackTraceLimit]`,
  },
  {
    what: 'timers that are due after its end',
    code: `for (const delay of [0, 1, 5, 100]) setTimeout(() => { console.log('left'); svc.echo.say({ left: true }); globalThis.left = 1 }, delay); return 1`,
    next: `await new Promise((done) => setTimeout(done, 200)); await svc.echo.say({ mine: 1 }); return typeof left`,
  },
  {
    what: 'an interval that it never clears',
    code: `setInterval(() => svc.echo.say({ left: true }), 1); return 1`,
    next: `let n = 0; const all = []; for (let i = 0; i < 5; i++) { await new Promise((done) => setTimeout(done, 10)); all.push((await svc.echo.say({ i })).i) } return all`,
  },
  {
    what: 'promises that a late timer settles',
    code: `let done; globalThis.left = new Promise((d) => { done = d }); left.then(() => { console.log('left'); return svc.echo.say({ left: 1 }) }); setTimeout(done, 3); return 1`,
    next: `for (let i = 0; i < 20; i++) await null; await new Promise((d) => setTimeout(d, 10)); return [typeof left, await svc.echo.say({ a: 1 })]`,
  },
  {
    what: 'promises that nothing settles, and handlers of rejections',
    code: `for (let i = 0; i < 1000; i++) new Promise(() => {}).finally(() => console.log('left')); Promise.reject(new Error('left')); return 1`,
    next: `try { await svc.echo.fail({ a: 1 }) } catch (error) { return [error.code, error.message] }`,
  },
  {
    what: 'a call that waits at a gate, and what follows its answer',
    code: `svc.echo.held({ left: 1 }).then(() => { console.log('left'); return svc.echo.say({ left: 2 }) }); await svc.echo.held({ left: 3 })`,
    next: `return [await svc.echo.say({ a: 1 }), await svc.echo.say({ b: 2 })]`,
  },
  {
    what: 'handlers for the numbers of calls that the next pass will make',
    code: `const caught = []; for (let i = 0; i < 100; i++) svc.echo.say({ i }).then((answer) => caught.push(answer)); await svc.echo.held({})`,
    next: `return Promise.all(Array.from({ length: 100 }, (_, i) => svc.echo.say({ mine: i })))`,
  },
  {
    what: 'groups, counters and timers of the console',
    code: `for (let i = 0; i < 10; i++) { console.group('left'); console.count(); console.count('left'); console.time(); console.time('left') } return 1`,
    next: `console.log('mine'); console.count(); console.count('left'); console.timeEnd(); console.timeEnd('left'); return 1`,
  },
  {
    what: 'a log at its limit of lines',
    code: `for (let i = 0; i < 1100; i++) console.log('left', i); return 1`,
    next: `for (let i = 0; i < 1000; i++) console.log('mine', i); return 1`,
  },
  {
    what: 'a log at its limit of bytes',
    code: `for (let i = 0; i < 30; i++) console.log('l'.repeat(10_000)); return 1`,
    next: `for (let i = 0; i < 25; i++) console.log('m'.repeat(10_000)); return 1`,
  },
  {
    what: 'all calls that a run can make',
    code: `for (let i = 0; i < 200; i++) await svc.echo.say({ left: i }); return 1`,
    next: `let n = 0; for (let i = 0; i < 200; i++) n += (await svc.echo.say({ i })).i; return n`,
  },
  {
    what: 'nearly all timers that a run can start',
    code: `for (let i = 0; i < 900; i++) setTimeout(() => {}, 1e6); return 1`,
    next: `for (let i = 0; i < 900; i++) setTimeout(() => {}, i); return setTimeout(() => {}, 0)`,
  },
  {
    what: 'random numbers that it has drawn',
    code: `for (let i = 0; i < 1000; i++) { Math.random(); crypto.randomUUID() } return 1`,
    next: `return [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]]`,
  },
  {
    what: 'a clock that has moved on by an hour',
    code: `await new Promise((done) => setTimeout(done, 3_600_000)); return Date.now()`,
    next: `return [Date.now(), performance.now(), performance.timeOrigin, new Date().toISOString(), new Intl.DateTimeFormat('en').format()]`,
  },
  {
    what: 'the last match of regular expressions',
    code: `/(left) (behind)/.exec('x left behind y'); return RegExp.$1`,
    next: `return [RegExp.$1, RegExp.$2, RegExp.lastMatch, RegExp.leftContext, RegExp.input]`,
  },
  {
    what: "the sandbox's own modules: URLs, text, clones, abort signals",
    code: `for (const it of [URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal]) for (const key of Reflect.ownKeys(it.prototype)) {
        try { Object.defineProperty(it.prototype, key, { value: () => 'left', configurable: true }) } catch {} }
      structuredClone.left = 1; new URL('https://left.example/').searchParams.append('left', '1'); return 1`,
    next: `const u = new URL('https://a.example/?b=1'); u.searchParams.append('c', '2'); const s = new AbortController(); s.abort('why');
      return [u.href, [...u.searchParams], new TextDecoder().decode(new TextEncoder().encode('ä')), structuredClone({ a: [1] }), s.signal.reason, Object.keys(structuredClone)]`,
  },
  {
    what: 'abort signals with listeners and time limits',
    code: `const late = AbortSignal.timeout(1); late.addEventListener('abort', () => console.log('left')); AbortSignal.any([late]).onabort = () => svc.echo.say({ left: 1 }); return 1`,
    next: `await new Promise((done) => setTimeout(done, 50)); return AbortSignal.abort().aborted`,
  },
  {
    what: 'members of svc, its aliases and its actions',
    code: `for (const it of [svc, svc.echo, svc.echo.say]) { try { it.left = 1 } catch {} try { Object.setPrototypeOf(it, { left: 1 }) } catch {} try { Object.defineProperty(it, 'say', { value: () => 'left' }) } catch {} } return 1`,
    next: `return [Object.keys(svc), Object.keys(svc.echo), Object.keys(svc.echo.say), svc.left, svc.echo.say.left, await svc.echo.say({ a: 1 })]`,
  },
  {
    what: 'conversions that JSON and texts call',
    code: `Object.prototype.toJSON = () => 'left'; String.prototype.toJSON = () => 'left'; JSON.stringify = () => '"left"'; JSON.parse = () => 'left'; Symbol.prototype[Symbol.toPrimitive] = () => 'left'; return null`,
    next: `return [JSON.stringify({ a: 'b' }), JSON.parse('[1]'), { a: new Date(0) }, await svc.echo.say({ a: 'b' })]`,
  },
  {
    what: 'iterators and species of built-ins',
    code: `Array.prototype[Symbol.iterator] = function* () { yield 'left' }; Object.defineProperty(Array, Symbol.species, { value: function () { return ['left'] } });
      Object.defineProperty(Promise, Symbol.species, { value: class { constructor(f) { f(() => {}, () => {}) } } }); return 1`,
    next: `const [a, b] = [1, 2]; return [a, b, ...[3, 4].map((n) => n), await Promise.all([5, 6])]`,
  },
  {
    what: 'generators that are left half way, with cleanup',
    code: `async function* all() { try { yield 1; yield 2 } finally { console.log('left'); await svc.echo.say({ left: 1 }) } } globalThis.half = all(); await half.next(); return 1`,
    next: `return [typeof half, await svc.echo.say({ a: 1 })]`,
  },
];
