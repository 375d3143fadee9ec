import type { RuleSubject } from '../../../domain/policies/call-facts.ts';
import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';

function fired(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): string[] {
  return evaluateRules(rules, { category: null, input, ...subject }).map((reason) => reason.split(':')[0]!);
}

/** These inputs once took quadratic time or worse. */
test.each<[string, string]>([
  ['base64', 'QUJD'.repeat(250_000)],
  ['at signs', '@'.repeat(1_000_000)],
  ['names and at signs', 'a@'.repeat(500_000)],
  ['separators of URLs', '://'.repeat(330_000)],
  ['a scheme without end', 'a+'.repeat(500_000)],
  ['dots', `https://${'.'.repeat(1_000_000)}x`],
  ['dots after an at sign', `a@${'.'.repeat(1_000_000)}`],
  ['one long authority', `https://${'a@'.repeat(500_000)}`],
  ['spaces', `${' '.repeat(1_000_000)}x`],
  ['a long opaque URL', `http:${'%'.repeat(1_000_000)}`],
])('a megabyte of %s is checked completely', (_, text) => {
  expect(fired({ domainDenylist: ['evil.com'] }, { text: `${text} https://evil.com` })).toEqual(['domainDenylist']);
});

test('a pattern of many asterisks is evaluated in linear time', () => {
  const rules: PolicyRules = { recipientDenylist: [`${'*a'.repeat(200)}*b`, `${'a*'.repeat(200)}b`] };
  expect(fired(rules, { to: 'a'.repeat(50_000) })).toEqual([]);
});

test('long lists are compared quickly with many paths and recipients', () => {
  const list = Array.from({ length: 500 }, (_, index) => `entry-${index}`);
  const input = { path: 'a/'.repeat(4_000), to: Array.from({ length: 1000 }, (_, index) => `other-${index}`) };
  expect(fired({ storagePathPrefixes: list, recipientDenylist: list, domainDenylist: list }, input)).toEqual([]);
});

const TOO_MUCH = 'the input is too large to be checked whole, so the policy counts as matched';

test.each<[string, number, boolean]>([
  ['a thousand recipients', 1000, false],
  ['ninety thousand recipients', 90_000, true],
])('whether %s (%d) and a long list exceed the work budget, so that the rules fire and say so: %p', (_, count, isTooMuch) => {
  const list = Array.from({ length: 500 }, (__, index) => `x${index}@y.z`);
  const input = { to: Array.from({ length: count }, (__, index) => `a${index}@b.c`) };
  const reasons = evaluateRules({ recipientDenylist: list, recipientAllowlist: [...list, '*@b.c'] }, { category: null, input });
  expect(reasons).toEqual(isTooMuch ? [`recipientAllowlist: ${TOO_MUCH}`, `recipientDenylist: ${TOO_MUCH}`] : []);
});

test('the facts of a call are extracted once for a thousand policies, within one work budget', () => {
  const read: string[] = [];
  const input = {
    get to() {
      read.push('to');
      return 'https://a.example b@c.example';
    },
  };
  const subject = { category: null, input };
  const lists = Array.from({ length: 1000 }, (_, index) => ({ domainDenylist: [`x${index}.example`], recipientDenylist: [`x${index}`] }));
  expect(lists.flatMap((rules) => evaluateRules(rules, subject))).toEqual([]);
  expect(read).toHaveLength(2);
  const globs = Array.from({ length: 500 }, (_, index) => `*x${index}*y*`);
  const first = evaluateRules({ recipientDenylist: globs }, subject);
  const later = Array.from({ length: 1000 }, () => evaluateRules({ recipientDenylist: [...globs] }, subject));
  expect(first).toEqual([]);
  expect(later.at(-1)).toEqual([`recipientDenylist: ${TOO_MUCH}`]);
});

test('many amounts and thresholds are read once per path', () => {
  const read: string[] = [];
  const line = {
    get price() {
      read.push('price');
      return 5;
    },
  };
  const thresholds = Array.from({ length: 500 }, (_, index) => ({ path: 'lines.*.price', gte: 6 + index }));
  expect(fired({ amountThresholds: thresholds }, { lines: [line, line] })).toEqual([]);
  expect(read).toHaveLength(2);
  expect(fired({ amountThresholds: [...thresholds, { path: 'lines.*.price', gt: 4 }] }, { lines: [line] })).toEqual(['amountThresholds']);
});

test('paths that exceed the work budget are not read; their rules fire and say so', () => {
  const bits = Array.from({ length: 256 }, (_, index) => [...index.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? 'a' : '*')));
  const amountThresholds = bits.map((parts) => ({ path: [...parts, '*'].join('.'), gte: 10 }));
  let input: unknown = new Array(100_000).fill(1);
  for (let depth = 0; depth < 8; depth++) input = { a: input };
  const reasons = evaluateRules({ amountThresholds }, { category: null, input });
  expect(reasons.length).toBeGreaterThan(200);
  expect(new Set(reasons.map((reason) => reason.replace(/ [a*.]+ /, ' ')))).toEqual(
    new Set([`amountThresholds: is not checked: ${TOO_MUCH}`, `amountThresholds: ${TOO_MUCH}`]),
  );
  expect(fired({ amountThresholds: [{ path: '*.*', gte: 10 }] }, [new Array(400_000).fill(1)])).toEqual([]);
});

test('a long text that is no amount is read once', () => {
  expect(fired({ amountThresholds: [{ path: 'a', gte: 1 }] }, { a: `${'1'.repeat(900_000)}x` })).toEqual(['amountThresholds']);
});

test('many paths and prefixes are compared by whole names', () => {
  const list = Array.from({ length: 500 }, (_, index) => `/x/${index}`);
  const paths = Array.from({ length: 2000 }, (_, index) => `x/a${index}`);
  expect(evaluateRules({ storagePathPrefixes: list }, { category: null, input: {}, paths })).toEqual([]);
  expect(evaluateRules({ storagePathPrefixes: list }, { category: null, input: {}, paths: [...paths, 'x/7/b', '/x/11'] })).toEqual([
    'storagePathPrefixes: a path is under /x/7',
    'storagePathPrefixes: a path is under /x/11',
  ]);
  const many = Array.from({ length: 90_000 }, (_, index) => `x/a${index}`);
  expect(evaluateRules({ storagePathPrefixes: list }, { category: null, input: {}, paths: many })).toEqual([
    `storagePathPrefixes: ${TOO_MUCH}`,
  ]);
  expect(fired({ storagePathPrefixes: ['/'] }, {}, { paths: ['b'] })).toEqual(['storagePathPrefixes']);
});
