import type { HostileProgram } from '../hostile-program.ts';

/** Programs that reach or exceed the limits of calls, timers, inputs, outputs and logs. */
export const FLOODS: HostileProgram[] = [
  {
    what: 'the 201st call, caught',
    code: 'for (let i = 0; i < 201; i++) { try { await svc.echo.say({}) } catch {} } return 1',
    ends: ['CODE_CALL_LIMIT'],
  },
  { what: 'calls without end', code: 'while (true) svc.echo.say({})', ends: ['CODE_CALL_LIMIT'] },
  {
    what: 'endless calls from inside calls',
    code: 'const again = () => svc.echo.say({ get a() { again(); return 1 } }); again(); await null',
    ends: ['CODE_CALL_LIMIT', 'CODE_ERROR', 'CODE_MEMORY', 'CODE_STALLED'],
  },
  {
    what: 'many more concurrent calls than run in parallel',
    code: 'return (await Promise.all(Array.from({ length: 200 }, (_, i) => svc.echo.say({ i })))).length',
    ends: { returns: 200 },
  },
  {
    what: 'endless failing calls',
    code: 'const again = () => svc.echo.fail({}).catch(again); await again()',
    ends: ['CODE_CALL_LIMIT'],
  },
  {
    what: 'a call with an input above the size limit',
    code: 'return await svc.echo.say({ a: "x".repeat(2e6) }).catch((e) => e.code)',
    ends: { returns: 'CODE_INPUT_TOO_LARGE' },
  },
  {
    what: 'a call whose input is larger in bytes than in characters',
    code: 'return await svc.echo.say({ a: "€".repeat(400000) }).catch((e) => e.code)',
    ends: { returns: 'CODE_INPUT_TOO_LARGE' },
  },
  {
    what: 'an input nested too deeply',
    code: 'let a = {}; for (let i = 0; i < 300; i++) a = { a }; await svc.echo.say(a)',
    ends: ['CODE_INPUT_TOO_LARGE'],
  },
  {
    what: 'an input that does not end',
    code: 'await svc.echo.say({ toJSON() { return { toJSON: this.toJSON, a: this } } })',
    ends: ['CODE_TIMEOUT', 'CODE_MEMORY', 'VALIDATION_ERROR'],
  },
  {
    what: 'a call with more than one argument',
    code: 'return await svc.echo.say({}, {}, svc).catch((e) => e.code)',
    ends: { returns: 'VALIDATION_ERROR' },
  },
  {
    what: 'concurrent inputs within their limits, with the most bytes a report can hold',
    code: 'const wide = { a: "語".repeat(330000) }; const inputs = [wide, wide, wide, { a: "\\"".repeat(500000) }]; const all = await Promise.all(inputs.map((input) => svc.echo.say(input))); return all.map(({ a }) => a.length)',
    ends: { returns: [330_000, 330_000, 330_000, 500_000] },
  },
  {
    what: 'inputs and an output within their limits in one report',
    code: 'const wide = { a: "語".repeat(330000) }; for (let i = 0; i < 3; i++) svc.echo.say(wide); return "\\"".repeat(500000)',
    ends: { returns: '"'.repeat(500_000) },
  },
  { what: 'the 1,001st timer', code: 'for (let i = 0; i < 1001; i++) setTimeout(() => {}, 1); return 1', ends: ['CODE_TIMER_LIMIT'] },
  {
    what: 'timers that start timers',
    code: 'const again = () => { setTimeout(again, 0); setTimeout(again, 0) }; again(); await new Promise(() => {})',
    ends: ['CODE_TIMER_LIMIT'],
  },
  { what: 'an interval that is never cleared', code: 'setInterval(() => {}, 0); await new Promise(() => {})', ends: ['CODE_TIMER_LIMIT'] },
  {
    what: 'timers with invalid delays',
    code: 'const all = [NaN, -1, Infinity, 2 ** 53, "x", {}, null, -Infinity]; for (const one of all) clearTimeout(setTimeout(() => {}, one)); await new Promise((done) => setTimeout(done, -5)); return 1',
    ends: { returns: 1 },
  },
  { what: 'an output above the size limit', code: 'return "x".repeat(2e6)', ends: ['CODE_OUTPUT_TOO_LARGE'] },
  { what: 'an output that is larger in bytes than in characters', code: 'return "€".repeat(400000)', ends: ['CODE_OUTPUT_TOO_LARGE'] },
  { what: 'an output that is larger once it is escaped', code: 'return "\\u0001".repeat(300000)', ends: ['CODE_OUTPUT_TOO_LARGE'] },
  { what: 'five thousand lines of log', code: 'for (let i = 0; i < 5000; i++) console.log(i); return 1', ends: { returns: 1 } },
  { what: 'wide lines of log', code: 'for (let i = 0; i < 200; i++) console.log("€".repeat(20000)); return 1', ends: { returns: 1 } },
  {
    what: 'log lines that grow sixfold when escaped',
    code: 'for (let i = 0; i < 200; i++) console.log("\\u0001".repeat(20000)); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'a getter that logs while it is logged, up to the line limit',
    code: 'for (let i = 0; i < 2000; i++) console.log({ get a() { console.log("inner"); return 1 } }); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'nested logging getters, more levels than the line limit',
    code: 'const deep = (n) => ({ get a() { console.log(n > 0 ? deep(n - 1) : "end"); return 1 } }); console.log(deep(1100)); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'console.group without end',
    code: 'for (let i = 0; i < 1e5; i++) console.group(); console.log("x"); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'log entries of a hundred thousand values',
    code: 'console.log(...Array(1e5).fill({ a: 1 })); console.table(Array(1e5).fill([1, 2])); return 1',
    ends: { returns: 1 },
  },
  {
    what: 'logs after the return, from code still running',
    code: 'svc.echo.say({}).then(() => { for (;;) console.log("late") }); return 1',
    ends: ['CODE_TIMEOUT'],
  },
  {
    what: 'endless calls after the return, one at a time',
    code: 'svc.echo.say({}).then(function again() { return svc.echo.say({}).then(again) }); return 1',
    ends: ['CODE_CALL_LIMIT'],
  },
];
