import type { RuleSubject } from '../../../domain/policies/call-facts.ts';
import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import { normalizePath } from '../../../domain/policies/normal-path.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';

function fired(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): string[] {
  return evaluateRules(rules, { category: null, input, ...subject }).map((reason) => reason.split(':')[0]!);
}

const DENY_EVIL: PolicyRules = { domainDenylist: ['evil.com', '*.evil.com'] };

test('a category rule fires for its categories, but not for an unknown action', () => {
  const rules: PolicyRules = { actionCategories: ['delete', 'payment'] };
  expect(fired(rules, {}, { category: 'payment' })).toEqual(['actionCategories']);
  expect(fired(rules, {}, { category: 'read' })).toEqual([]);
  expect(fired(rules, {})).toEqual([]);
});

test('nothing fires without rules, or with empty denylists, prefixes and thresholds', () => {
  const input = { to: 'a@evil.com', path: '/x', amount: 1 };
  expect(fired({}, input)).toEqual([]);
  expect(fired({ recipientDenylist: [], domainDenylist: [], storagePathPrefixes: [], amountThresholds: [] }, input)).toEqual([]);
});

test('each fired rule is named with its finding', () => {
  const rules: PolicyRules = { amountThresholds: [{ path: 'amount', gte: 10 }], storagePathPrefixes: ['/etc'], ...DENY_EVIL };
  expect(evaluateRules(rules, { category: null, input: { amount: 10, path: '/etc/x', url: 'https://evil.com' } })).toEqual([
    'amountThresholds: amount is 10 or more',
    'domainDenylist: a domain is on the denylist',
    'storagePathPrefixes: a path is under /etc',
  ]);
});

test.each<[string, object, unknown, boolean]>([
  ['at gte', { path: 'amount', gte: 100 }, { amount: 100 }, true],
  ['below gte', { path: 'amount', gte: 100 }, { amount: 99.99 }, false],
  ['at gt', { path: 'amount', gt: 100 }, { amount: 100 }, false],
  ['above gt', { path: 'amount', gt: 100 }, { amount: 100.01 }, true],
  ['a number in a text', { path: 'amount', gte: 100 }, { amount: '250' }, true],
  ['more than the largest number', { path: 'amount', gte: 100 }, { amount: '1e999' }, true],
  ['nested', { path: 'order.total', gte: 100 }, { order: { total: 100 } }, true],
  ['any item', { path: 'lines.*.price', gte: 100 }, { lines: [{ price: 1 }, { price: 100 }] }, true],
  ['any key', { path: 'by.*.sum', gte: 100 }, { by: { a: { sum: 1 }, b: { sum: 300 } } }, true],
  ['one item, selected by its position', { path: 'lines.1', gte: 100 }, { lines: [300, 1] }, false],
  ['a missing field', { path: 'amount', gte: 0 }, {}, false],
  ['an inherited field', { path: 'constructor.length', gte: 0 }, {}, false],
  ['null', { path: 'amount', gte: 0 }, { amount: null }, false],
  ['an input that is not an object', { path: 'amount', gte: 0 }, 7, false],
  ['the currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'eur' }, true],
  ['another currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'JPY' }, false],
  ['no currency given', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100 }, true],
  ['a currency elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'EUR' } }, true],
  ['another currency elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'USD' } }, false],
  ['digits with invisible characters', { path: 'amount', gte: 100 }, { amount: ' 5000.00\u200b' }, true],
  ['a lower amount with invisible characters', { path: 'amount', gte: 100 }, { amount: '\u206099.50\u200b ' }, false],
  ...[null, '', ' \u200b', 'EUR ', 'e\u200bur', 'ＥＵＲ', 7, ['USD'], { toString: 1 }].map(
    (currency): [string, object, unknown, boolean] => [
      `a currency field without a valid currency: ${JSON.stringify(currency)}`,
      { path: 'a', gte: 1, currency: 'EUR' },
      { a: 1, currency },
      true,
    ],
  ),
  [
    'several currencies, one of which matches',
    { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' },
    { a: 1, in: ['USD', 'EUR'] },
    true,
  ],
  [
    'several currencies, one of which is missing',
    { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' },
    { a: 1, in: ['USD', null] },
    true,
  ],
  [
    'several currencies, none of which matches',
    { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' },
    { a: 1, in: ['USD', 'JPY'] },
    false,
  ],
  ['an unreadable amount in another currency', { path: 'a', gte: 1, currency: 'EUR' }, { a: '5,000', currency: 'JPY' }, false],
])('an amount threshold: %s', (_, threshold, input, fires) => {
  const rules = { amountThresholds: [threshold] } as PolicyRules;
  expect(fired(rules, input)).toEqual(fires ? ['amountThresholds'] : []);
});

test.each<[unknown]>([
  ...['much', ' ', '', '5,000', '5.000,00', '$5000', '5000 USD', '0x1388', '٥٠٠٠', 'Infinity', '1 2'].map((text): [unknown] => [text]),
  ...[[5000], [], {}, { valueOf: 1, toString: 1 }, true].map((value): [unknown] => [value]),
])('an amount that is not a plain number fires: %j', (amount) => {
  const rules: PolicyRules = { amountThresholds: [{ path: 'amount', gte: 1_000_000 }] };
  expect(evaluateRules(rules, { category: null, input: { amount } })).toEqual(['amountThresholds: amount is not a plain number']);
});

test.each<[string, unknown]>([
  ['a URL', 'https://evil.com/path'],
  ['a URL within words', 'see (http://evil.com), thanks'],
  ['a URL in a Markdown link', '[here](https://evil.com)'],
  ['a URL between quotes', '<a href="https://evil.com">'],
  ['a URL of any scheme', 'ftp+ssl://evil.com'],
  ['a port', 'https://evil.com:8443/'],
  ['a trailing dot', 'https://evil.com./'],
  ['several trailing dots', 'x https://evil.com...'],
  ['upper case', 'HTTPS://EVIL.COM'],
  ['a subdomain', 'https://a.b.evil.com/'],
  ['user information', 'https://good.com:pass@evil.com/'],
  ['user information with a second @', 'see https://x@good.com@evil.com/'],
  ['very long user information', `see https://${'a'.repeat(5000)}@evil.com/`],
  ['the second URL of a text', 'https://good.com/?next=https://evil.com'],
  ['a URL without slashes', 'https:evil.com/x'],
  ['backslashes', 'http:\\\\evil.com\\x'],
  ['a tab in the name', 'https://ev\til.com'],
  ['an escaped name', 'https://%65vil.com/'],
  ['a name in wide letters', 'https://ｅｖｉｌ.com/'],
  ['an e-mail address', 'bob@evil.com'],
  ['an e-mail address within words', 'write to <Bob@Evil.com>.'],
  ['an e-mail address followed by other letters', 'bob@evil.com请'],
  ['one address among many', 'a@good.com,b@evil.com;c@good.com'],
  ['an item of a list', ['x', ['https://evil.com']]],
  ['a nested field', { a: { b: 'https://evil.com' } }],
  ['a key', { 'https://evil.com/x': 1 }],
  ['the far end of a long text', `${'x'.repeat(900_000)} https://evil.com`],
])('a denied domain is found: %s', (_, value) => {
  expect(fired(DENY_EVIL, { value })).toEqual(['domainDenylist']);
});

test.each<[string, unknown]>([
  ['another domain with the same ending', 'https://notevil.com'],
  ['the name in a path', 'https://good.com/evil.com'],
  ['the name in a query', 'https://good.com?to=evil.com/'],
  ['the name as a user', 'https://evil.com:x@good.com'],
  ['the bare name', 'evil.com'],
  ['an @ without a name before it', '@evil.com'],
  ['a longer name', 'https://evil.com.good.com'],
])('a denied domain is not reported for: %s', (_, value) => {
  expect(fired(DENY_EVIL, { value })).toEqual([]);
});

test('the pattern *. matches subdomains, but not the domain itself', () => {
  const rules: PolicyRules = { domainDenylist: ['*.evil.com'] };
  expect(fired(rules, 'https://evil.com')).toEqual([]);
  expect(fired(rules, 'https://a.b.evil.com')).toEqual(['domainDenylist']);
});

test('a domain allowlist fires exactly for hosts outside the list', () => {
  const rules: PolicyRules = { domainAllowlist: ['Good.com.', '*.good.com', '[::1]', 'bücher.example'] };
  const allowed = [
    'https://good.com',
    'a@sub.good.com',
    'http://[::1]:80/',
    'https://bücher.example/',
    'see https://xn--bcher-kva.example',
    '',
  ];
  expect(fired(rules, allowed)).toEqual([]);
  expect(fired(rules, { n: 7, text: 'a.b.c' })).toEqual([]);
  expect(fired(rules, ['https://good.com', 'https://other.com'])).toEqual(['domainAllowlist']);
  expect(fired(rules, 'http://[::2]/')).toEqual(['domainAllowlist']);
  expect(fired({ domainAllowlist: [] }, 'https://good.com')).toEqual(['domainAllowlist']);
});

test.each<[string, string, boolean]>([
  ['/reports', '/reports/a.csv', true],
  ['/reports/', 'reports', true],
  ['reports', '/reports-old/a', false],
  ['/reports', '/public/../reports/a', true],
  ['/reports', '/reports/../public/a', false],
  ['/reports', '../../reports/./a', true],
  ['/reports', '\\reports\\a', true],
  ['/reports', '//reports//a', true],
  ['/public/../reports', '/reports/a', true],
  ['/', '/anything', true],
])('the path prefix %j matches %j: %s', (prefix, path, under) => {
  expect(fired({ storagePathPrefixes: [prefix] }, { path })).toEqual(under ? ['storagePathPrefixes'] : []);
});

test('paths come from the fields that the action declares, or else from the usual fields', () => {
  const rules: PolicyRules = { storagePathPrefixes: ['/a'] };
  for (const field of ['path', 'Prefix', 'file', 'filePath', 'fileName', 'key', 'destination']) {
    expect(fired(rules, { [field]: '/a/b' })).toEqual(['storagePathPrefixes']);
  }
  expect(fired(rules, { text: '/a/b', path: 7 })).toEqual([]);
  expect(fired(rules, { path: '/a/b' }, { paths: ['/c'] })).toEqual([]);
  expect(fired({ storagePathPrefixes: ['/a', '/a/b', '/c'] }, { path: '/a/b/c' })).toHaveLength(2);
});

test('a path never climbs above its root', () => {
  expect(normalizePath('/../../a/./b/../c/')).toBe('a/c');
});
