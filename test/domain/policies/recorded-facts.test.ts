import fc from 'fast-check';
import { openFacts } from '../../../domain/policies/call-facts.ts';
import { FACTS_MAX_BYTES, factsToKeep, noteJudgement, recordFacts } from '../../../domain/policies/recorded-facts.ts';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { thePolicy } from '../../support/the-policy.ts';

const judgement = { match: undefined, cleared: [], assessments: new Map(), policiesVersion: 7, isBudgetSpent: false };
const kept = (input: Record<string, unknown>, more: object = {}) =>
  recordFacts({ category: 'write', connectionStrategy: 'fixed', hiddenPaths: [], input, ...more }, judgement);

test('the recorded facts are hosts, recipients, paths, amounts and the deciding policy', () => {
  const policy = thePolicy({ id: 'p', version: 3, decision: 'notify_only' });
  const input = {
    url: 'https://api.example.com/v1',
    to: 'Ann+x@example.org',
    path: '/reports/../x',
    body: { amount: '900.50', currency: 'EUR', note: 'ok' },
  };
  const call = { category: 'send', connectionStrategy: 'per_user', hiddenPaths: [], input } as const;
  expect(recordFacts({ ...call, hiddenPaths: [] }, { ...judgement, match: { policy, reasons: [], risk: null } })).toEqual({
    policiesVersion: 7,
    decidedBy: { policyId: 'p', version: 3, decision: 'notify_only' },
    ...{ strategy: 'per_user', category: 'send' },
    hosts: { found: ['api.example.com', 'example.org'] },
    recipients: { named: ['ann+x@example.org'], readings: expect.arrayContaining(['ann+x@example.org', 'ann@example.org']) },
    paths: { named: ['/reports/../x'], readings: ['x'] },
    values: { url: '~', to: '~', path: '~', body: { amount: 900.5, currency: 'eur', note: '~' } },
  });
});

test('an empty call has few facts, and an unjudged call has none', () => {
  expect(kept({})).toEqual({ policiesVersion: 7, strategy: 'fixed', category: 'write', values: {} });
  const call = { category: null, connectionStrategy: null, hiddenPaths: [], input: {} };
  expect(factsToKeep(call)).toBeNull();
  noteJudgement(call, judgement);
  expect(factsToKeep({ ...call })).toBe('{"policiesVersion":7,"values":{}}');
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['a password that reads like an address', { password: 'zq4711@zq4711.example', amount: 5 }, []],
  ['a password in an object', { auth: { client_secret: 'https://zq4711.example' } }, []],
  ['a number under a secret name', { pin: 4711471147, token: '4711471147' }, []],
  ['a secret in a header list', { headers: { authorization: 'Bearer zq4711@zq4711.example' } }, []],
  ['a card number', { text: 1, number: '4711000000000002' }, []],
  ['a credential as a key', { values: { sk_live_zq4711zq4711zq4711zq4711zq4711: 1 } }, []],
  ['an enforced value', { to: 'zq4711@zq4711.example', path: '/zq4711' }, ['to', 'path']],
  ['a secret in JSON text', { body: '{"password":"zq4711@zq4711.example"}' }, []],
])('no secret is kept: %s', (_, input, hiddenPaths) => {
  expect(JSON.stringify(kept(input, { hiddenPaths }))).not.toContain('4711');
});

test('hidden values of every type are unknown', () => {
  const hidden = { flag: true, none: null, count: 5, code: 'EUR' };
  const { values } = kept({ ...hidden, shown: false }, { hiddenPaths: Object.keys(hidden) });
  expect(values).toEqual({ flag: '?', none: '?', count: '?', code: '?', shown: false });
});

test('a partly hidden fact is marked as hidden; other facts are kept', () => {
  const { hosts, notKept, recipients, values } = kept({ to: 'ann@example.org', password: 'x@zq4711.example', amount: 5 });
  expect({ hosts, notKept, recipients, values }).toEqual({
    hosts: undefined,
    notKept: { hosts: 'hidden' },
    recipients: { named: ['ann@example.org'] },
    values: { to: '~', password: '~', amount: 5 },
  });
  const declared = kept({ note: 'for ann', secret: 'zq4711' }, { recipients: ['ann', 'zq4711'] });
  expect(declared).toMatchObject({ notKept: { recipients: 'hidden' }, values: { note: '~' } });
});

test.each<[string, Record<string, unknown>]>([
  ['a thousand addresses', { to: Array.from({ length: 1000 }, (_, at) => `a${at}@example.com`) }],
  ['a thousand amounts', { items: Array.from({ length: 150 }, (_, at) => ({ amount: at, text: 'x' })) }],
  ['a hundred thousand characters', { text: 'x'.repeat(100_000) }],
  ['a key of ten thousand characters', { body: { ['k'.repeat(10_000)]: 1 } }],
  ['many long paths', { path: Array.from({ length: 20 }, (_, at) => `/${at}/${'p'.repeat(300)}`) }],
  ['depth', { deep: Array.from({ length: 60 }).reduce((inner) => ({ inner }), 1) }],
])('facts are limited to two kilobytes, and oversized facts are named: %s', (_, input) => {
  const facts = kept({ amount: 12, ...input }, { recipients: undefined });
  expect(Buffer.byteLength(JSON.stringify(facts))).toBeLessThanOrEqual(FACTS_MAX_BYTES);
  expect(JSON.stringify([facts.notKept, facts.values])).toMatch(/large|"\?"/);
  expect(facts.values).toMatchObject({ amount: 12 });
});

test('texts that Postgres refuses in JSON are not kept', () => {
  const facts = kept({ path: ['a\0b', '\ud800'], to: 'x\0@example.com' });
  expect(JSON.stringify(facts)).not.toMatch(/\\u0000|\\ud800/);
  expect(facts.notKept).toMatchObject({ paths: 'large' });
});

test('the recorded facts hide what a preview hides', () => {
  const secret = fc.constantFrom(
    'hunter2@zq.example',
    'https://u:pw@zq.example/p',
    'zq://zq.example',
    'eyJhbGciOiJIUzI1NiJ9.e30.c2ln@zq.example',
  );
  const text = fc.oneof(
    secret,
    secret.map((one) => `password=${one}`),
    secret.map((one) => `see https://a.example/?token=${one} now`),
    secret.map((one) => `{"api_key":"${one}"}`),
    secret.map((one) => Buffer.from(`password: ${one}`).toString('base64')),
    fc.webUrl(),
    fc.emailAddress(),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  const key = fc.constantFrom('to', 'path', 'url', 'password', 'api_key', 'name', 'value', 'token', 'note', 'headers');
  const input = fc.dictionary(key, fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.dictionary(key, text, { maxKeys: 3 })), {
    maxKeys: 5,
  });
  fc.assert(
    fc.property(input, (one) => {
      const { hosts, recipients, paths, notKept } = kept(one);
      const { preview } = previewInput(one);
      const shown = openFacts({ category: null, input: preview });
      if (hosts) for (const host of hosts.found) expect([one, [...shown.hosts()!.hosts]]).toEqual([one, expect.arrayContaining([host])]);
      const texts = JSON.stringify(preview);
      for (const named of recipients?.named ?? []) if (named.includes('hunter2')) expect(texts.toLowerCase()).toContain('hunter2');
      for (const named of paths?.named ?? []) if (named.includes('hunter2')) expect(texts).toContain('hunter2');
      expect(notKept?.hosts).not.toBe('large');
    }),
    { numRuns: 1000 },
  );
});
