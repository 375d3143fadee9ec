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
  ['nothing', { path: 'amount', gte: 0 }, { amount: null }, false],
  ['an input that is no object', { path: 'amount', gte: 0 }, 7, false],
  ['the currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'eur' }, true],
  ['another currency', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100, currency: 'JPY' }, false],
  ['no currency said', { path: 'amount', gte: 100, currency: 'EUR' }, { amount: 100 }, true],
  ['a currency elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'EUR' } }, true],
  ['another elsewhere', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.unit' }, { a: 1, in: { unit: 'USD' } }, false],
  ['digits beside characters that do not show', { path: 'amount', gte: 100 }, { amount: ' 5000.00\u200b' }, true],
  ['fewer of them', { path: 'amount', gte: 100 }, { amount: '\u206099.50\u200b ' }, false],
  ...[null, '', ' \u200b', 'EUR ', 'e\u200bur', 'ＥＵＲ', 7, ['USD'], { toString: 1 }].map(
    (currency): [string, object, unknown, boolean] => [
      `a currency that names no other one: ${JSON.stringify(currency)}`,
      { path: 'a', gte: 1, currency: 'EUR' },
      { a: 1, currency },
      true,
    ],
  ),
  ['some in the currency', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' }, { a: 1, in: ['USD', 'EUR'] }, true],
  ['some in none', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' }, { a: 1, in: ['USD', null] }, true],
  ['all in others', { path: 'a', gte: 1, currency: 'EUR', currencyPath: 'in.*' }, { a: 1, in: ['USD', 'JPY'] }, false],
  ['no number in another currency', { path: 'a', gte: 1, currency: 'EUR' }, { a: '5,000', currency: 'JPY' }, false],
])('an amount threshold: %s', (_, threshold, input, fires) => {
  const rules = { amountThresholds: [threshold] } as PolicyRules;
  expect(fired(rules, input)).toEqual(fires ? ['amountThresholds'] : []);
});

test.each<[unknown]>([
  ...['much', ' ', '', '5,000', '5.000,00', '$5000', '5000 USD', '0x1388', '٥٠٠٠', 'Infinity', '1 2'].map((text): [unknown] => [text]),
  ...[[5000], [], {}, { valueOf: 1, toString: 1 }, true].map((value): [unknown] => [value]),
])('an amount that cannot be read as one number fires, since whoever is sent it may read any: %j', (amount) => {
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
  expect(fired(rules, { body: { message: [{ to: [{ id: 'bad' }] }] } })).toEqual(['recipientDenylist']);
  expect(fired({ recipientAllowlist: ['ok'] }, { body: { to: 'ok', text: 'bad' } })).toEqual([]);
});

test('an address with a name, or among others, is judged by itself', () => {
  const evil = 'Bob <bob@evil.com>';
  expect(fired({ recipientDenylist: ['*@evil.com'] }, { to: evil })).toEqual(['recipientDenylist']);
  expect(fired({ recipientAllowlist: ['*@ok.com'] }, { to: 'b@evil.com, a@ok.com' })).toEqual(['recipientAllowlist']);
  expect(fired({ recipientAllowlist: ['*@ok.com'] }, { to: 'Ann <a@ok.com>; b@ok.com' })).toEqual([]);
  expect(fired({ recipientDenylist: ['a, b'] }, { to: 'a, b' })).toEqual(['recipientDenylist']);
});

test.each([
  'mallory@evil.com alice@ok.com',
  '<mallory@evil.com><alice@ok.com>',
  'mallory@evil.com <alice@ok.com>',
  'mallory@evil.com?x=alice@ok.com',
  'mailto:mallory@evil.com?cc=alice@ok.com',
  'mallory%evil.com@ok.com',
  'evil.com!mallory@ok.com',
  '"mallory@evil.com"@ok.com',
  'mallory@evil.com(alice@ok.com)',
  'mallory@evil.com\u200balice@ok.com',
  'Ann <mallory@evil.com> <alice@ok.com>',
])('what is not one plain address is outside an allowlist, whatever it ends with: %s', (to) => {
  expect(fired({ recipientAllowlist: ['*@ok.com', '*ok.com', '*'] }, { to })).toEqual(['recipientAllowlist']);
});

test.each([
  'mallory@evil.com alice@ok.com',
  '<mallory@evil.com><alice@ok.com>',
  'mallory@evil.com?x=alice@ok.com',
  'mailto:alice@ok.com?cc=mallory@evil.com',
])('an address among others is found by a denylist: %s', (to) => {
  expect(fired({ recipientDenylist: ['*@evil.com'] }, { to })).toEqual(['recipientDenylist']);
});

test.each([
  'alice@ok.com',
  "Ann O'Hara <ann.o'hara+list@ok.com>",
  'jürgen@ok.com',
  '<alice@ok.com>',
  'alice@ok.com; bob@ok.com,',
  '@ann.ok.com',
  'ann_ok.com',
])('plain addresses and handles are let through by the patterns of an allowlist: %s', (to) => {
  expect(fired({ recipientAllowlist: ['*ok.com'] }, { to })).toEqual([]);
});

test('a recipient that an allowlist names to the letter is inside, whatever it looks like', () => {
  expect(fired({ recipientAllowlist: ['General Chat'] }, { channel: 'general chat' })).toEqual([]);
  expect(fired({ recipientAllowlist: ['General *'] }, { channel: 'General Chat' })).toEqual(['recipientAllowlist']);
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

const TOO_MANY = 'there are too many recipients to hold against its patterns';

test.each<[string, boolean, string[]]>([
  ['patterns', true, Array.from({ length: 500 }, (_, index) => `*x${index}*@*`)],
  ['entries without a pattern', false, Array.from({ length: 500 }, (_, index) => `x${index}@y.z`)],
])('ninety thousand recipients against a long list of %s: what can’t be looked at fires, and says so', (_, isTooMuch, list) => {
  const input = { to: Array.from({ length: 90_000 }, (__, index) => `a${index}@b.c`) };
  const reasons = evaluateRules({ recipientDenylist: list, recipientAllowlist: [...list, '*@b.c'] }, { category: null, input });
  expect(reasons).toEqual(isTooMuch ? [`recipientAllowlist: ${TOO_MANY}`, `recipientDenylist: ${TOO_MANY}`] : []);
});

test('many amounts against many thresholds are read once for each path', () => {
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

test('paths that lead to the same values again and again are not all looked at; what is not looked at fires and says so', () => {
  const bits = Array.from({ length: 256 }, (_, index) => [...index.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? 'a' : '*')));
  const amountThresholds = bits.map((parts) => ({ path: [...parts, '*'].join('.'), gte: 10 }));
  let input: unknown = new Array(100_000).fill(1);
  for (let depth = 0; depth < 8; depth++) input = { a: input };
  const reasons = evaluateRules({ amountThresholds }, { category: null, input });
  expect(reasons.length).toBeGreaterThan(200);
  expect(new Set(reasons.map((reason) => reason.replace(/ [a*.]+ /, ' ')))).toEqual(
    new Set(['amountThresholds: is not looked at, for the input holds too many values']),
  );
  expect(fired({ amountThresholds: [{ path: '*.*', gte: 10 }] }, [new Array(400_000).fill(1)])).toEqual([]);
});

test('a long amount that is none is read once, from its beginning to its end', () => {
  expect(fired({ amountThresholds: [{ path: 'a', gte: 1 }] }, { a: `${'1'.repeat(900_000)}x` })).toEqual(['amountThresholds']);
});

test('many paths against many prefixes are decided at once, by whole names', () => {
  const list = Array.from({ length: 500 }, (_, index) => `/x/${index}`);
  const paths = Array.from({ length: 90_000 }, (_, index) => `x/a${index}`);
  expect(evaluateRules({ storagePathPrefixes: list }, { category: null, input: {}, paths })).toEqual([]);
  expect(evaluateRules({ storagePathPrefixes: list }, { category: null, input: {}, paths: [...paths, 'x/7/b', '/x/11'] })).toEqual([
    'storagePathPrefixes: a path is under /x/7',
    'storagePathPrefixes: a path is under /x/11',
  ]);
  expect(fired({ storagePathPrefixes: ['/'] }, {}, { paths: ['b'] })).toEqual(['storagePathPrefixes']);
});
