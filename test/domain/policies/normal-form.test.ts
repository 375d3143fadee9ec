import type { RuleSubject } from '../../../domain/policies/call-facts.ts';
import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import { matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import { normalHost, unicodeHost } from '../../../domain/policies/normal-host.ts';
import { normalText, safeNfkc } from '../../../domain/policies/normal-text.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';
import { comparePolicies } from '../../../domain/policies/policy.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { thePolicy } from '../../support/the-policy.ts';
import { EVIL } from './evil-spellings.ts';

function fires(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): boolean {
  return evaluateRules(rules, { category: null, input, ...subject }).length > 0;
}

test('Unicode and ASCII forms of a host name are equal, in texts and in patterns', () => {
  for (const pattern of ['*@bücher.example', '*@xn--bcher-kva.example', '*@BÜCHER.example', '*@bu\u0308cher.example', '*@büch*.example']) {
    for (const to of ['a@bücher.example', 'a@XN--BCHER-KVA.example', 'a@bu\u0308cher.example']) {
      expect([pattern, to, fires({ recipientDenylist: [pattern] }, { to })]).toEqual([pattern, to, true]);
    }
  }
  expect(unicodeHost(normalHost('пример.例え.テスト'))).toBe('пример.例え.テスト');
});

test.each([
  'https://evil.com',
  'https://EVIL.com./x',
  'https://evil。com',
  'https://ev\u200bil.com',
  'https://ｅｖｉｌ．ｃｏｍ',
  'ｈｔｔｐｓ：／／evil.com',
  'see https://evil\u00ad.com now',
  'https://good.com@evil.com',
  'https://good.com:x@evil.com',
  'https://good.com\\@evil.com',
  'https:/evil.com',
  'https:evil.com',
  'see https:\\\\evil.com\\x',
  'https:\\/evil.com',
  'see https:/evil.com and more',
  'ht\ntps://evil.com',
  'https://ev\nil.com',
  '//evil.com/x',
  '\\\\evil.com\\share',
  '<img src="//evil.com/x.png">',
  'https%3A%2F%2Fevil.com',
  'https%253A%252F%252Fevil.com',
  'see https://good.com/ or %2F%2Fevil.com',
  'https://%65%76%69%6c.com',
  'a%40evil.com',
  'a@evil。com',
  '"a"@evil.com',
  'wss://evil.com',
])('a denied domain is found in %j', (text) => {
  expect(fires({ domainDenylist: ['evil.com'] }, { deep: [{ text }] })).toBe(true);
  expect(fires({ domainAllowlist: ['good.com'] }, { text })).toBe(true);
});

test.each([
  ['127.0.0.1', 'http://2130706433/'],
  ['127.0.0.1', 'http://0x7f000001/'],
  ['127.0.0.1', 'http://0177.0.0.1/'],
  ['127.0.0.1', 'http://127.1/'],
  ['127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
  ['127.0.0.1', 'a@[127.0.0.1]'],
  ['[::1]', 'http://[0:0:0:0:0:0:0:1]/'],
  ['xn--bcher-kva.example', 'https://BÜCHER.example'],
  ['bücher.example', 'a@xn--bcher-kva.example'],
  ['https://evil.com/x', 'https://evil.com'],
  ['evil.com:443', 'https://evil.com'],
  ['ＥＶＩＬ．com', 'https://evil.com'],
  ['evil.*', 'https://evil.org'],
  ['*.büch*.example', 'https://a.xn--bcher-kva.example'],
])('the denied domain %j is found in %j', (pattern, text) => {
  expect(fires({ domainDenylist: [pattern] }, { text })).toBe(true);
});

test.each(['https://gооd.com', 'https://good.com.evil.com', 'https://ｇood.com', 'https://go\u200bod.com', '//other.com'])(
  'a domain allowlist does not let %j through',
  (text) => {
    expect(fires({ domainAllowlist: ['good.com', '*.good.com'] }, { text })).toBe(true);
  },
);

test.each(['// a comment. It ends', 'a // b', 'path//to.file', '1:2 3:4', 'note: see https below', 'a/b//c', 'x = y //'])(
  '%j contains no domain',
  (text) => {
    expect(fires({ domainAllowlist: [] }, { text })).toBe(false);
  },
);

test.each([
  '/reports/a',
  'REPORTS/a',
  '\\reports\\a',
  '//reports//a',
  '/public/../reports/a',
  '/public/%2e%2e/reports/a',
  '/public/..%2freports/a',
  '/public/%252e%252e/reports/a',
  '%2freports%2fa',
  '..%5creports%5ca',
  '／ｒｅｐｏｒｔｓ／a',
  '/rep\u200borts/a',
  '/reports\u200b',
  '/reports./a',
  '/reports /a',
  ' /reports/a',
  '/./reports/a',
  'file:///reports/a',
  's3://bucket/reports/a',
  'C:\\reports\\a',
  '/public/．．/reports/a',
])('a path under /reports is found in %j', (path) => {
  for (const prefix of ['/reports', 'Reports/', '/ｒeports', '/x/../reports', '%2Freports'])
    expect(fires({ storagePathPrefixes: [prefix] }, { path })).toBe(true);
  expect(fires({ storagePathPrefixes: ['/reports'] }, { files: [{ path }] })).toBe(true);
  expect(fires({ storagePathPrefixes: ['/reports'] }, {}, { paths: [path] })).toBe(true);
});

test.each(['/reports-old/a', '/public/reports', '/reports/../public/a', '/report', 'x.y/z'])(
  'a path outside /reports is not found: %j',
  (path) => {
    expect(fires({ storagePathPrefixes: ['/reports'] }, { path })).toBe(false);
  },
);

test.each(['５０００', '5e3', '+5000', '5000.', ' 5000 ', '5\u200b000', '5,000', '5 000', '0x1388', '٥٠٠٠', '5_000', 'five', true, [5000]])(
  'an amount that is 5000 or cannot be read fires: %j',
  (amount) => {
    expect(fires({ amountThresholds: [{ path: 'amount', gte: 5000 }] }, { amount })).toBe(true);
  },
);

test('names in filters and in the index are normalized equally', () => {
  const subject: PolicySubject = {
    ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionStrategy: 'fixed', endUserId: null },
    ...{ integrationName: 'http', integrationAlias: 'web', actionName: 'send_request', category: 'read', input: {} },
  };
  const block = { decision: 'block' as const, riskMode: 'always' as const };
  for (const fields of [
    { integrationNames: ['HTTP'] },
    { integrationNames: ['ｈｔｔｐ'] },
    { integrationAliases: [' Web\u200b'] },
    { actionNames: ['Send_Request'] },
    { actionNames: ['other', 'send_request\ufeff'] },
    { actionNames: [...Array.from({ length: 100 }, (_, index) => `a${index}`), 'SEND_request'] },
  ]) {
    const policy = thePolicy({ ...block, ...fields });
    expect([fields, matchPolicies(policySet([policy]), subject).match?.policy]).toEqual([fields, policy]);
  }
});

test('a call that cannot be checked completely matches policies that block, but none that approve automatically', () => {
  const subject: PolicySubject = {
    ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionStrategy: 'fixed', endUserId: null },
    ...{ integrationName: 'http', integrationAlias: 'http', actionName: 'x', category: 'delete', otherCategories: ['read'] },
    input: { to: Array.from({ length: 50_000 }, (_, index) => `a${index}@b.c`), amount: '1 or so' },
  };
  const asks = thePolicy({ id: 'b', priority: 9, riskMode: 'always' });
  for (const rules of [
    { recipientDenylist: ['*@mine.example'] },
    { domainDenylist: ['mine.example'] },
    { amountThresholds: [{ path: 'amount', gte: 5 }] },
    { actionCategories: ['read' as const] },
  ]) {
    const opens = thePolicy({ id: 'a', priority: 0, decision: 'auto_approve', riskMode: 'rules', rules });
    const set = policySet([opens, asks].sort(comparePolicies));
    expect([rules, matchPolicies(set, { ...subject }).match?.policy.id]).toEqual([rules, 'b']);
    const stops = policySet([thePolicy({ id: 'c', decision: 'block', riskMode: 'rules', rules })]);
    expect(matchPolicies(stops, { ...subject }).match?.reasons).toHaveLength(1);
  }
});

test('normalizing a second time changes nothing', () => {
  for (const text of [...EVIL, 'e\u200d\u0301', '\ufb01', 'ǅ', '\uff76\uff9e', 'İ'])
    expect(normalText(normalText(text))).toBe(normalText(text));
});

/** The combining marks of these texts once took minutes to sort. */
test('a megabyte of combining marks is normalized in linear time', () => {
  for (const marks of ['\u0345\u0301\u0316\u0327', '\u0301\u0327', '\u0301\uff9e']) {
    const before = process.cpuUsage();
    safeNfkc(`a${marks.repeat(125_000)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  }
});
