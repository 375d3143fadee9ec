import type { RuleSubject } from '../../../domain/policies/call-facts.ts';
import { evaluateRules } from '../../../domain/policies/evaluate-rules.ts';
import type { PolicyRules } from '../../../domain/policies/policy.ts';
import { EVIL } from './evil-spellings.ts';

function fires(rules: PolicyRules, input: unknown, subject: Partial<RuleSubject> = {}): boolean {
  return evaluateRules(rules, { category: null, input, ...subject }).length > 0;
}

test.each(EVIL)('a denylist finds %j by its address and by its host', (to) => {
  expect(fires({ recipientDenylist: ['a@evil.com'] }, { to })).toBe(true);
  expect(fires({ recipientDenylist: ['*@evil.com'] }, { to: [{ id: to }] })).toBe(true);
  expect(fires({ recipientDenylist: ['a@evil.com'] }, {}, { recipients: ['x@ok.com', to] })).toBe(true);
});

test.each([
  'A@Evil.COM',
  'a@evil.com.',
  'ａ@ｅｖｉｌ．ｃｏｍ',
  'a@ev\u200bil.com',
  '"Ann" <a@evil.com>',
  'mailto:a@evil.com',
  '*@EVIL.com.',
  '*@evil。com',
  '*@*.com',
])('a denylist entry may itself be spelled %j', (entry) => {
  expect(fires({ recipientDenylist: [entry] }, { to: 'a@evil.com' })).toBe(true);
  expect(fires({ recipientDenylist: [entry] }, { to: 'a@good.org' })).toBe(false);
});

test.each([
  'mallory@evil.com',
  'alice@оk.com', // Cyrillic о
  'alice@ok.com.evil.com',
  'alice@ok.cоm',
  'alice@οk.com', // Greek omicron
  'alice@ok.com\u200b',
  'ａlice@ok.com',
  'alice@ｏｋ.com',
  'alice@ok。com',
  'mallory%40evil.com%2C*@ok.com',
  'a@evil.com\u2028alice@ok.com',
  '"mallory@evil.com, x"@ok.com',
])('an allowlist does not let %j through', (to) => {
  expect(fires({ recipientAllowlist: ['*@ok.com', 'alice@ok.com'] }, { to })).toBe(true);
});

test.each(['alice@ok.com', 'Alice@OK.com', 'alice@ok.com.', 'Alice <alice@ok.com>', 'alice+tag@ok.com', 'alice@ok.com, bob@ok.com'])(
  'an allowlist admits %j',
  (to) => {
    expect(fires({ recipientAllowlist: ['*@Ok.com.'] }, { to })).toBe(false);
  },
);

test('mail with a +tag matches the denied address but not the allowed address', () => {
  expect(fires({ recipientDenylist: ['bob@x.com'] }, { to: 'bob+1@x.com' })).toBe(true);
  expect(fires({ recipientDenylist: ['bob+1@x.com'] }, { to: 'bob@x.com' })).toBe(false);
  expect(fires({ recipientAllowlist: ['bob@x.com'] }, { to: 'bob+1@x.com' })).toBe(true);
  expect(fires({ recipientAllowlist: ['bob+1@x.com'] }, { to: 'bob+1@x.com' })).toBe(false);
});

test.each([
  ['#general', 'general'],
  ['general', '#General'],
  ['@bob', 'bob'],
  ['+15551234567', '+1 (555) 123-4567'],
  ['+1 555 123 4567', 'tel:0015551234567'],
])('the denied handle or number %j also matches %j', (entry, to) => {
  expect(fires({ recipientDenylist: [entry] }, { to })).toBe(true);
});

test.each(['to', 'To', 't\u200bo', 'ｔｏ', 'to\ufeff'])('a recipient field is recognized by any spelling of its name: %j', (name) => {
  expect(fires({ recipientDenylist: ['a@evil.com'] }, { body: { [name]: 'a@evil.com' } })).toBe(true);
});
