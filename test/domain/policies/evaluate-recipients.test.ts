import type { RuleSubject } from '../../../domain/policies/call-facts.ts';
import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';

function fired(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): string[] {
  return evaluateRules(rules, { category: null, input, ...subject }).map((reason) => reason.split(':')[0]!);
}

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
])('whether the recipient pattern %j matches %j: %s', (pattern, to, matches) => {
  expect(fired({ recipientDenylist: [pattern] }, { to })).toEqual(matches ? ['recipientDenylist'] : []);
  expect(fired({ recipientAllowlist: [pattern] }, { to })).toEqual(matches ? [] : ['recipientAllowlist']);
});

test('recipients come from the fields that the action declares, or else from the usual fields', () => {
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

test('an address is checked without its display name, and each address of a list is checked', () => {
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
])('ambiguous text is outside every allowlist: %s', (to) => {
  expect(fired({ recipientAllowlist: ['*@ok.com', '*ok.com', '*'] }, { to })).toEqual(['recipientAllowlist']);
});

test.each([
  'mallory@evil.com alice@ok.com',
  '<mallory@evil.com><alice@ok.com>',
  'mallory@evil.com?x=alice@ok.com',
  'mailto:alice@ok.com?cc=mallory@evil.com',
])('a denylist finds an address among other text: %s', (to) => {
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
])('plain addresses and handles match allowlist patterns: %s', (to) => {
  expect(fired({ recipientAllowlist: ['*ok.com'] }, { to })).toEqual([]);
});

test('a recipient that equals an allowlist entry is allowed, even if it is not an address', () => {
  expect(fired({ recipientAllowlist: ['General Chat'] }, { channel: 'general chat' })).toEqual([]);
  expect(fired({ recipientAllowlist: ['General *'] }, { channel: 'General Chat' })).toEqual(['recipientAllowlist']);
});
