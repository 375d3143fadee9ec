import { evaluateRules, normalizePath, type RuleSubject } from '../../domain/evaluate-rules.ts';
import type { PolicyRules } from '../../domain/policy.ts';

function fired(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): string[] {
  return evaluateRules(rules, { category: null, input, ...subject }).map((reason) => reason.split(':')[0]!);
}

const DENY_EVIL: PolicyRules = { domainDenylist: ['evil.com', '*.evil.com'] };

test('a rule about categories fires for its categories, and stays quiet for an action that nobody knows', () => {
  const rules: PolicyRules = { actionCategories: ['delete', 'payment'] };
  expect(fired(rules, {}, { category: 'payment' })).toEqual(['actionCategories']);
  expect(fired(rules, {}, { category: 'read' })).toEqual([]);
  expect(fired(rules, {})).toEqual([]);
});

test('no rules and empty lists of what to look for fire for nothing', () => {
  const input = { to: 'a@evil.com', path: '/x', amount: 1 };
  expect(fired({}, input)).toEqual([]);
  expect(fired({ recipientDenylist: [], domainDenylist: [], storagePathPrefixes: [], amountThresholds: [] }, input)).toEqual([]);
});

test('every rule that fires is named, in words that say what was met', () => {
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
  ['more than any number', { path: 'amount', gte: 100 }, { amount: '1e999' }, true],
  ['nested', { path: 'order.total', gte: 100 }, { order: { total: 100 } }, true],
  ['any item', { path: 'lines.*.price', gte: 100 }, { lines: [{ price: 1 }, { price: 100 }] }, true],
  ['any key', { path: 'by.*.sum', gte: 100 }, { by: { a: { sum: 1 }, b: { sum: 300 } } }, true],
  ['one item by its number', { path: 'lines.1', gte: 100 }, { lines: [300, 1] }, false],
  ['no such field', { path: 'amount', gte: 0 }, {}, false],
  ['an inherited field', { path: 'constructor.length', gte: 0 }, {}, false],
  ['no number', { path: 'amount', gte: 0 }, { amount: 'much' }, false],
  ['nothing', { path: 'amount', gte: 0 }, { amount: null }, false],
  ['blank', { path: 'amount', gte: 0 }, { amount: ' ' }, false],
  ['an object that cannot be a number', { path: 'amount', gte: 0 }, { amount: { valueOf: 1, toString: 1 } }, false],
  ['an input that is no object', { path: 'amount', gte: 0 }, 7, false],
  ['the currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'eur' }, true],
  ['another currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'JPY' }, false],
  ['no currency said', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100 }, true],
  ['a currency elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'EUR' } }, true],
  ['another elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'USD' } }, false],
  ['a currency that is an object', { path: 'a', gte: 1, currency: 'EUR' }, { a: 1, currency: { toString: 1 } }, false],
])('an amount threshold: %s', (_, threshold, input, fires) => {
  const rules = { amountThresholds: [threshold] } as PolicyRules;
  expect(fired(rules, input)).toEqual(fires ? ['amountThresholds'] : []);
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
  ['a line break in the name', 'https://ev\til.com'],
  ['a name in escapes', 'https://%65vil.com/'],
  ['a name in wide letters', 'https://ｅｖｉｌ.com/'],
  ['an e-mail address', 'bob@evil.com'],
  ['an e-mail address within words', 'write to <Bob@Evil.com>.'],
  ['an e-mail address followed by other letters', 'bob@evil.com请'],
  ['one among many', 'a@good.com,b@evil.com;c@good.com'],
  ['an item of a list', ['x', ['https://evil.com']]],
  ['a nested field', { a: { b: 'https://evil.com' } }],
  ['a key', { 'https://evil.com/x': 1 }],
  ['the far end of a long text', `${'x'.repeat(900_000)} https://evil.com`],
])('a denied domain is found: %s', (_, value) => {
  expect(fired(DENY_EVIL, { value })).toEqual(['domainDenylist']);
});

test.each<[string, unknown]>([
  ['another domain that ends alike', 'https://notevil.com'],
  ['the name in a path', 'https://good.com/evil.com'],
  ['the name in a query', 'https://good.com?to=evil.com/'],
  ['the name as a user', 'https://evil.com:x@good.com'],
  ['the bare name', 'evil.com'],
  ['an @ without a name before it', '@evil.com'],
  ['a longer name', 'https://evil.com.good.com'],
])('a denied domain is not seen where it is none: %s', (_, value) => {
  expect(fired(DENY_EVIL, { value })).toEqual([]);
});

test('a pattern with *. stands for the domains under it, and not for itself', () => {
  const rules: PolicyRules = { domainDenylist: ['*.evil.com'] };
  expect(fired(rules, 'https://evil.com')).toEqual([]);
  expect(fired(rules, 'https://a.b.evil.com')).toEqual(['domainDenylist']);
});

test('a domain allowlist fires for any host outside it, and not where there is no host', () => {
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
  ['bob@x.com', 'bob@x.com', true],
  ['Bob@X.com', 'bob@x.COM', true],
  ['*@x.com', 'bob@x.com', true],
  ['*@x.com', 'bob@y.com', false],
  ['*@x.com', 'bob@xxcom', false],
  ['#team-*', '#team-a', true],
  ['#team-*', '#other', false],
  ['*', 'anything', true],
  ['**', 'anything', true],
  ['a*b*c', 'axxbxxc', true],
  ['a*b*c', 'axxcxxb', false],
  ['ab*ba', 'aba', false],
  ['*ab*ab*', 'xabx', false],
  ['a*', 'a', true],
  ['a.c', 'abc', false],
  ['[ab]+(c)|?', '[ab]+(c)|?', true],
])('as a recipient pattern %j, seen against %j: %s', (pattern, to, matches) => {
  expect(fired({ recipientDenylist: [pattern] }, { to })).toEqual(matches ? ['recipientDenylist'] : []);
  expect(fired({ recipientAllowlist: [pattern] }, { to })).toEqual(matches ? [] : ['recipientAllowlist']);
});

test('recipients are what the action declares, else the fields of the usual names', () => {
  const rules: PolicyRules = { recipientDenylist: ['bad'] };
  for (const field of ['to', 'Cc', 'bcc', 'recipient', 'recipients', 'email', 'channel', 'user']) {
    expect(fired(rules, { [field]: ['ok', { id: 'bad' }] })).toEqual(['recipientDenylist']);
  }
  expect(fired(rules, { subject: 'bad' })).toEqual([]);
  expect(fired(rules, { to: 'bad' }, { recipients: [] })).toEqual([]);
  expect(fired(rules, { to: 'ok' }, { recipients: ['bad'] })).toEqual(['recipientDenylist']);
  expect(fired({ recipientDenylist: ['4711'] }, { user: 4711 })).toEqual(['recipientDenylist']);
  expect(fired(rules, 'bad')).toEqual([]);
});

test('an address with a name, or among others, is judged by itself', () => {
  const evil = 'Bob <bob@evil.com>';
  expect(fired({ recipientDenylist: ['*@evil.com'] }, { to: evil })).toEqual(['recipientDenylist']);
  expect(fired({ recipientAllowlist: ['*@ok.com'] }, { to: 'b@evil.com, a@ok.com' })).toEqual(['recipientAllowlist']);
  expect(fired({ recipientAllowlist: ['*@ok.com'] }, { to: 'Ann <a@ok.com>; b@ok.com' })).toEqual([]);
  expect(fired({ recipientDenylist: ['a, b'] }, { to: 'a, b' })).toEqual(['recipientDenylist']);
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
])('as a path prefix %j, seen against %j: %s', (prefix, path, under) => {
  expect(fired({ storagePathPrefixes: [prefix] }, { path })).toEqual(under ? ['storagePathPrefixes'] : []);
});

test('paths are what the action declares, else the fields of the usual names', () => {
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

/** Each of these once took time that grows with the square of the length, or worse. */
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
])('a megabyte of %s is looked at whole', (_, text) => {
  expect(fired({ domainDenylist: ['evil.com'] }, { text: `${text} https://evil.com` })).toEqual(['domainDenylist']);
});

test('a pattern of many asterisks is decided at once', () => {
  const rules: PolicyRules = { recipientDenylist: [`${'*a'.repeat(200)}*b`, `${'a*'.repeat(200)}b`] };
  expect(fired(rules, { to: 'a'.repeat(1_000_000) })).toEqual([]);
});

test('long lists against many paths and recipients are decided at once', () => {
  const list = Array.from({ length: 500 }, (_, index) => `entry-${index}`);
  const input = { path: 'a/'.repeat(400_000), to: Array.from({ length: 1000 }, (_, index) => `other-${index}`) };
  expect(fired({ storagePathPrefixes: list, recipientDenylist: list, domainDenylist: list }, input)).toEqual([]);
});
