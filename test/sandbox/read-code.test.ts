import { planCode } from '../../sandbox/plan.ts';
import { readPlan, readRunnable } from '../../sandbox/read-code.ts';

const SURFACE = { mail: ['send'] };
const CODE = 'await svc.mail.send({ n: 1 })';

/** 256 kB, the longest code that a run takes, of what costs parsers and analyses most. */
const LENGTH = 256 * 1024;
const repeated = (unit: string, tail = '') => unit.repeat(Math.floor((LENGTH - tail.length) / unit.length)) + tail;
const names = Array.from({ length: 20_000 }, (_, n) => `k${n.toString(36)}`);
/** Assertions that a tokenizer does not see, behind what is no token. */
const endless = (name: string) => `let ${name}: any = /(/; f(${'<T>('.repeat(40)}1${')'.repeat(40)})`;
const HOSTILE: [string, string][] = [
  ['labels in labels', Array.from({ length: 30_000 }, (_, n) => `l${n.toString(36)}:`).join('')],
  ['groups of one pattern', `/${repeated('(?<a>b)|')}/`],
  ['brackets', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
  ['templates', '`${'.repeat(LENGTH / 8) + '}`'.repeat(LENGTH / 8)],
  ['names taken out of svc', `const {${names}} = svc;${names.join(';')}`],
  ['a function called all over', `const f = () => 1;${repeated('f();').slice(0, LENGTH - 100)}`],
  ['blocks in blocks', '{'.repeat(900) + 'x;'.repeat(100_000) + '}'.repeat(900)],
  [
    'constants of constants',
    `const v0=1;${Array.from({ length: 12_000 }, (_, n) => `const v${n + 1}=v${n};`).join('')}svc.mail.send({v:v12000})`,
  ],
  [
    'functions that call themselves',
    Array.from({ length: 2000 }, (_, n) => `async function f${n}(){await f${n}();await svc.mail.send();}f${n}();`).join(''),
  ],
];

test('reads in a thread what planning here would have read', async () => {
  expect(await readPlan(CODE, SURFACE)).toEqual(planCode(CODE, SURFACE));
  expect(await readRunnable('() => import("a")', 'svc')).toEqual({
    ...{ code: 'return (() => import("a"))(svc)', text: '() => import("a")', syntaxError: null },
    ...{ shift: { line: 1, columns: 8 }, imports: [{ line: 1, column: 7 }] },
  });
});

test.each(HOSTILE)('%s: planned, or dynamic with a reason', async (_, code) => {
  const plan = await readPlan(code, SURFACE);
  if (plan.analysisConfidence === 'dynamic') expect(plan.dynamicSignals).not.toEqual([]);
});

test('what would keep the reader busy for ever is given up; meanwhile this process does other work, and then the next ones are read', async () => {
  let turns = 0;
  const beat = setInterval(() => {
    turns += 1;
  }, 1);
  const [given, runnable, next] = await Promise.all([readPlan(endless('a'), SURFACE), readRunnable(CODE, 'svc'), readPlan(CODE, SURFACE)]);
  clearInterval(beat);
  expect(given).toMatchObject({ analysisConfidence: 'dynamic', dynamicSignals: ['the code takes too long to be read'] });
  expect(turns).toBeGreaterThan(10);
  expect(runnable).toMatchObject({ code: CODE, syntaxError: null });
  expect(next.analysisConfidence).toBe('exact');
});

test('what was given up is not read again: its next pass knows at once, while others are still read', async () => {
  await readPlan(endless('b'), SURFACE);
  const ended: string[] = [];
  const other = readRunnable(endless('c'), 'svc').then(() => ended.push('another'));
  const again = readRunnable(endless('b'), 'svc').then((read) => ended.push(`the same: ${read}`));
  await Promise.all([other, again]);
  expect(ended).toEqual(['the same: null', 'another']);
});

test('one party that has much to read keeps another one waiting for one reading', async () => {
  const ended: string[] = [];
  const asked = ['d', 'e', 'f'].map((name) => readPlan(endless(name), SURFACE, 'hostile').then(() => ended.push(name)));
  const honest = readRunnable(CODE, 'svc', 'honest').then(() => ended.push('honest'));
  await Promise.all([...asked, honest]);
  expect(ended).toEqual(['d', 'honest', 'e', 'f']);
});

test('type assertions in type assertions are refused without a try, at their place', async () => {
  for (const [open, close] of [
    ['(', ')'],
    ['[', ']'],
  ] as const) {
    const nested = `let x: any =\n${`<T>${open}`.repeat(40)}1${close.repeat(40)}`;
    expect(await readRunnable(nested, 'svc')).toMatchObject({
      syntaxError: { message: 'Write `value as Type` instead of `<Type>value`', line: 2, column: 33 },
    });
  }
});

test('code that breaks the type stripper does not spoil it for the next one', async () => {
  const broken = `let x: ${'A<'.repeat(100_000)}`;
  const typed = 'const n: number = 1; await svc.mail.send({ n })';
  const read = await Promise.all([readPlan(broken, SURFACE), readPlan(typed, SURFACE), readPlan(typed, SURFACE)]);
  expect(read.map(({ analysisConfidence }) => analysisConfidence)).toEqual(['dynamic', 'exact', 'exact']);
});
