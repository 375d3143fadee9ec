import { planCode } from '../../../sandbox/plan/plan.ts';
import { readProgram, readRunnable } from '../../../sandbox/reader/read-code.ts';

const SURFACE = { mail: ['send'] };
const CODE = 'await svc.mail.send({ n: 1 })';

/** The longest accepted code. */
const LENGTH = 256 * 1024;
const repeated = (unit: string, tail = '') => unit.repeat(Math.floor((LENGTH - tail.length) / unit.length)) + tail;
const names = Array.from({ length: 20_000 }, (_, n) => `k${n.toString(36)}`);
/** A tokenizer misreads the start, and therefore overlooks the type assertions. */
const endless = (name: string) => `let ${name}: any = /(/; f(${'<T>('.repeat(40)}1${')'.repeat(40)})`;
const HOSTILE: [string, string][] = [
  ['labels in labels', Array.from({ length: 30_000 }, (_, n) => `l${n.toString(36)}:`).join('')],
  ['groups in one pattern', `/${repeated('(?<a>b)|')}/`],
  ['brackets', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
  ['templates', '`${'.repeat(LENGTH / 8) + '}`'.repeat(LENGTH / 8)],
  ['names destructured from svc', `const {${names}} = svc;${names.join(';')}`],
  ['a function called many times', `const f = () => 1;${repeated('f();').slice(0, LENGTH - 100)}`],
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

test('the reader thread returns the same plan as planning in this thread', async () => {
  expect(await readProgram(CODE, SURFACE)).toEqual({ plan: planCode(CODE, SURFACE), runnable: await readRunnable(CODE, 'svc') });
  expect(await readRunnable('() => import("a")', 'svc')).toEqual({
    ...{ code: 'return (() => import("a"))(svc)', lineLengths: [17], syntaxError: null },
    ...{ shift: { line: 1, columns: 8 }, imports: [{ line: 1, column: 7 }] },
  });
});

test.each(HOSTILE)('slow code gets a plan, which states reasons if it is dynamic: %s', async (_, code) => {
  const { plan } = await readProgram(code, SURFACE);
  if (plan.analysisConfidence === 'dynamic') expect(plan.dynamicSignals).not.toEqual([]);
});

test('code that would block the reader is given up, and delays no other code', async () => {
  const before = process.threadCpuUsage();
  const [given, runnable, next] = await Promise.all([
    readProgram(endless('a'), SURFACE),
    readRunnable(CODE, 'svc'),
    readProgram(CODE, SURFACE),
  ]);
  const { user, system } = process.threadCpuUsage(before);
  expect(given).toMatchObject({
    plan: { analysisConfidence: 'dynamic', dynamicSignals: ['the code cannot be read within the limits of time and memory'] },
    runnable: null,
  });
  // Processor time does not depend on the load of the machine.
  expect((user + system) / 1000).toBeLessThan(250);
  expect(runnable).toMatchObject({ code: CODE, syntaxError: null });
  expect(next.plan.analysisConfidence).toBe('exact');
});

test('code that was given up is not read again', async () => {
  await readProgram(endless('b'), SURFACE);
  const ended: string[] = [];
  const other = readRunnable(endless('c'), 'svc').then(() => ended.push('another'));
  const again = readRunnable(endless('b'), 'svc').then((read) => ended.push(`the same: ${read}`));
  await Promise.all([other, again]);
  expect(ended).toEqual(['the same: null', 'another']);
});

test('a tenant with much code to read delays another tenant by at most one read', async () => {
  const ended: string[] = [];
  const asked = ['d', 'e', 'f'].map((name) => readProgram(endless(name), SURFACE, 'hostile').then(() => ended.push(name)));
  const honest = readRunnable(CODE, 'svc', 'honest').then(() => ended.push('honest'));
  await Promise.all([...asked, honest]);
  expect(ended).toEqual(['d', 'honest', 'e', 'f']);
});

test('nested type assertions are refused without parsing, with their position', async () => {
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

test('code that crashes the type stripper does not affect the next code', async () => {
  const broken = `let x: ${'A<'.repeat(100_000)}`;
  const typed = 'const n: number = 1; await svc.mail.send({ n })';
  const read = await Promise.all([readProgram(broken, SURFACE), readProgram(typed, SURFACE), readProgram(typed, SURFACE)]);
  expect(read.map(({ plan }) => plan.analysisConfidence)).toEqual(['dynamic', 'exact', 'exact']);
});
