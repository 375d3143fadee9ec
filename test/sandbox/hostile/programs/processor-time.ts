import type { HostileProgram } from '../hostile-program.ts';

const LATE = ['CODE_TIMEOUT'] as const;

/**
 * Programs that use up processor time: in their code, inside built-ins, and after an awaited call.
 */
export const PROCESSOR_TIME: HostileProgram[] = [
  { what: 'a loop', code: 'while (true);', ends: LATE },
  { what: 'a loop after an awaited call', code: 'await svc.echo.say({}); while (true);', ends: LATE },
  {
    what: 'a loop inside a timer',
    code: 'setTimeout(() => { while (true); }, 5); await svc.echo.say({}); await new Promise(() => {})',
    ends: LATE,
  },
  {
    what: 'a loop that catches every error and continues from finally',
    code: 'for (;;) { try { throw 1 } catch {} finally { continue } }',
    ends: LATE,
  },
  { what: 'a loop in a function compiled from a string', code: 'new Function("while (true);")()', ends: LATE },
  {
    what: 'a loop in an async function compiled from a string, after a call',
    code: 'await svc.echo.say({}); await (async () => {}).constructor("for (;;) await 0")()',
    ends: LATE,
  },
  { what: 'a flood of microtasks', code: 'while (true) await 0', ends: LATE },
  {
    what: 'a flood of queued microtasks',
    code: 'const again = () => queueMicrotask(again); again(); await new Promise(() => {})',
    ends: LATE,
  },
  {
    what: 'a loop in an abort listener',
    code: 'const c = new AbortController(); c.signal.addEventListener("abort", () => { while (true); }); c.abort()',
    ends: LATE,
  },
  { what: 'a regular expression with catastrophic backtracking', code: '/(a+)+$/.test("a".repeat(60) + "b")', ends: LATE },
  { what: 'catastrophic backtracking in split', code: '("x" + "a".repeat(50)).split(/(?:a|a?)+b/)', ends: LATE },
  { what: 'a BigInt that is squared', code: 'let n = 3n; while (true) n = n * n', ends: [...LATE, 'CODE_MEMORY', 'CODE_ERROR'] },
  { what: 'a BigInt power', code: 'return String(7n ** 20000000n).length', ends: LATE },
  { what: 'a division of long BigInts', code: 'const a = 3n ** 3000000n, b = 7n ** 1000000n; for (;;) a / b', ends: LATE },
  { what: 'fill on an array of nearly maximum length', code: 'new Array(2 ** 32 - 2).fill(0)', ends: [...LATE, 'CODE_MEMORY'] },
  {
    what: 'indexOf on an array-like object of maximum length',
    code: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    ends: LATE,
  },
  {
    what: 'copyWithin on an array-like object of maximum length',
    code: 'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1)',
    ends: LATE,
  },
  {
    what: 'String.raw on an array-like object of maximum length',
    code: 'String.raw({ raw: { length: 2 ** 53 - 1 } })',
    ends: [...LATE, 'CODE_MEMORY'],
  },
  { what: 'a sparse array that is sorted', code: 'const a = []; a[4294967294] = 1; a.sort()', ends: [...LATE, 'CODE_MEMORY'] },
  { what: 'a comparator that never ends', code: '[1, 2].sort(() => { while (true); })', ends: LATE },
  {
    what: 'an inconsistent comparator',
    code: 'for (;;) Array.from({ length: 1e5 }, (_, i) => i).sort(() => Math.random() - 0.5)',
    ends: LATE,
  },
  { what: 'an iterator that never ends', code: 'for (const one of { *[Symbol.iterator]() { for (;;) yield 1 } }) one', ends: LATE },
  { what: 'a Set from an iterator that never ends', code: 'new Set({ *[Symbol.iterator]() { for (;;) yield 1 } })', ends: LATE },
  {
    what: 'JSON.stringify of a value whose toJSON adds values',
    code: 'JSON.stringify({ toJSON() { return { toJSON: this.toJSON, a: this } } })',
    // CODE_ERROR: with a long time limit, the stack overflows first.
    ends: [...LATE, 'CODE_ERROR'],
  },
  {
    what: 'JSON.stringify of a value with exponentially many references',
    code: 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)',
    ends: [...LATE, 'CODE_MEMORY', 'CODE_ERROR'],
  },
  {
    what: 'locale-aware comparisons of long texts',
    code: 'const t = "ä".repeat(1e5); for (;;) (t + "a").localeCompare(t + "b", "de")',
    ends: LATE,
  },
  {
    what: 'a text normalized again and again',
    code: 'const t = "\\u0344".repeat(1e5); for (;;) t.normalize("NFD").normalize("NFC")',
    ends: LATE,
  },
  { what: 'a with statement on a proxy', code: 'with (new Proxy({}, { has() { while (true); } })) { x }', ends: LATE },
  {
    what: 'a destructuring of an endless iterator',
    code: 'const [...all] = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }',
    ends: [...LATE, 'CODE_MEMORY'],
  },
  {
    what: 'endless URLs parsed by the runner',
    code: 'for (;;) new URL("http://a/?" + "b=c&".repeat(1000)).searchParams.sort()',
    ends: LATE,
  },
  { what: 'an input whose getter reads svc without end', code: 'svc.echo.say({ get a() { for (;;) svc.echo } })', ends: LATE },
  { what: 'endless logging', code: 'while (true) console.log("again")', ends: LATE },
  { what: 'an endless toString as a property name', code: 'svc[{ toString() { while (true); } }]', ends: LATE },
];
