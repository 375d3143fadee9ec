import type { RecordedFacts } from '../../../domain/policies/recorded-facts.ts';
import { type DecidedCall, draftNarrower, findRepeatedYeses } from '../../../domain/policies/repeated-yeses.ts';
import { replayPolicy } from '../../../domain/policies/replay-call.ts';
import { thePolicy } from '../../support/the-policy.ts';

const POLICY = thePolicy({ version: 3, priority: 10, integrationNames: ['mail'], actionNames: ['send'] });
const FACTS: RecordedFacts = {
  category: 'send',
  hosts: { found: ['a.example'] },
  recipients: { named: ['ada@a.example'] },
  values: { to: '~', amount: 5, lines: [{ count: 1 }] },
};

function call(facts: Partial<RecordedFacts> | null = {}, more: Partial<DecidedCall> = {}): DecidedCall {
  return {
    ...{ policyVersion: 3, workspaceId: 'w', source: 'rest', integrationName: 'mail', actionName: 'send', status: 'consumed' },
    ...{ decidedByType: 'user', decidedById: 'ada', facts: facts && { ...FACTS, ...facts } },
    ...more,
  };
}

const times = (count: number, one: (index: number) => DecidedCall) => Array.from({ length: count }, (_, index) => one(index));
const yeses = (facts: Partial<RecordedFacts> = {}) =>
  times(20, (index) => call({ ...facts, values: withLess(facts.values ?? FACTS.values, index) }));
const withLess = (values: RecordedFacts['values'], less: number): RecordedFacts['values'] =>
  JSON.parse(JSON.stringify(values), (_, value) => (typeof value === 'number' ? value - less : value));

test('twenty approvals of one form are found, with the facts of all of them', () => {
  const other = call(
    { hosts: { found: ['b.example'] }, values: { to: '~', amount: 9, lines: [{ count: 2 }, { count: 1 }] } },
    { decidedByType: 'api_key', decidedById: 'ben' },
  );
  expect(findRepeatedYeses([other, ...times(19, () => call())], POLICY)).toEqual({
    ...{ workspaceId: 'w', integrationName: 'mail', actionName: 'send', count: 20 },
    deciders: [
      { type: 'api_key', id: 'ben' },
      { type: 'user', id: 'ada' },
    ],
    known: {
      ...{ category: 'send', hosts: ['a.example', 'b.example'], recipients: ['ada@a.example'] },
      amounts: [
        { path: 'amount', most: 9 },
        { path: 'lines.*.count', most: 2 },
      ],
    },
  });
});

test('pending calls and calls of another action or form are ignored', () => {
  const mixed = [
    call({}, { status: 'pending', decidedByType: null }),
    call({ values: { to: '~' } }),
    call({}, { actionName: 'list', status: 'rejected' }),
  ];
  expect(findRepeatedYeses([...mixed, ...yeses()], POLICY)?.count).toBe(20);
});

test.each<[string, DecidedCall]>([
  ['a rejection', call({}, { status: 'rejected' })],
  ['a request without a decision', call({}, { status: 'expired', decidedByType: 'timeout' })],
  ['a withdrawn request', call({}, { status: 'canceled' })],
  ['an approval through a link', call({}, { decidedByType: 'hosted_link' })],
  ['an approval by the end user', call({}, { decidedByType: 'end_user' })],
  ['an approval under another version of the policy', call({}, { policyVersion: 2 })],
  ['a rejection of another form of the input', call({ values: {} }, { status: 'rejected' })],
  ['a rejection of a call without facts', call(null, { status: 'rejected' })],
])('%s ends the series', (_, between) => {
  expect(findRepeatedYeses([...times(19, () => call()), between, ...yeses()], POLICY)).toBeUndefined();
});

test.each<[string, Partial<RecordedFacts>]>([
  ['deletes', { category: 'delete' }],
  ['administers', { category: 'admin' }],
  ['runs code', { category: 'code' }],
  ['has no known category', { category: undefined }],
  ['has several possible categories', { otherCategories: ['delete'] }],
  ['has paths', { paths: { named: ['/a'] } }],
  ['has a host with an asterisk', { hosts: { found: ['*.example'] } }],
  ['has a recipient with an asterisk', { recipients: { named: ['*@a.example'] } }],
  ['has a disguised host', { hosts: { found: ['a.example'], isDisguised: true } }],
  ['has a recipient of several readings', { recipients: { named: ['a'], readings: ['a', 'b'] } }],
  ['has a value that was not kept', { values: { to: '?' } }],
  ['has a fact that was not kept', { notKept: { hosts: 'hidden' } }],
  ['has an amount beside a currency', { values: { amount: 5, currency: 'usd' } }],
  ['has a field that no path can name', { values: { 'a.b': 5 } }],
  ['was too large to judge', { isBudgetSpent: true }],
])('a call that %s equals no other call', (_, facts) => {
  expect(findRepeatedYeses([...yeses(facts), ...yeses(facts)], POLICY)).toBeUndefined();
});

test('long texts, and three-letter words in a field with few values, do not prevent equality', () => {
  const values = { text: '?~', timeout: 30, method: 'get' };
  expect(findRepeatedYeses(yeses({ values }), POLICY)).toBeUndefined();
  expect(findRepeatedYeses(yeses({ values }), POLICY, { words: new Set(['method']), settings: new Set() })?.known.amounts).toEqual([
    { path: 'timeout', most: 30 },
  ]);
});

test('there is no draft if a number that is equal in all approvals may be an id', () => {
  const withAccounts = (account: (index: number) => number, settings: string[] = []) =>
    findRepeatedYeses(
      times(20, (index) => call({ values: { account: account(index), lines: [{ count: index }] } })),
      POLICY,
      { words: new Set(), settings: new Set(settings) },
    )?.known.amounts;
  const amounts = (most: number) => [
    { path: 'account', most },
    { path: 'lines.*.count', most: 19 },
  ];
  expect(withAccounts(() => 7)).toBeUndefined();
  expect(withAccounts(() => 7, ['account'])).toEqual(amounts(7));
  expect(withAccounts((index) => 7 + (index % 2))).toEqual(amounts(8));
});

test('the draft asks about new calls, but not about calls like the approved ones', () => {
  const draft = { ...POLICY, ...draftNarrower(POLICY, findRepeatedYeses(yeses(), POLICY)!)!, id: 'draft' };
  expect(draft).toMatchObject({
    workspaceId: 'w',
    mode: 'shadow',
    priority: 9,
    decision: 'require_approval',
    integrationNames: ['mail'],
    actionNames: ['send'],
  });
  const asks = (facts: Partial<RecordedFacts>) => {
    const { status: _, decidedByType: __, decidedById: ___, policyVersion: ____, ...subject } = call(facts);
    const place = { source: 'rest' as const, mcpServerId: null, workspaceIntegrationId: null, integrationAlias: null, endUserId: null };
    return replayPolicy({ ...draft, sources: ['rest'] }, { ...subject, ...place, facts: subject.facts! });
  };
  expect(asks({})).toEqual({ isMatched: false });
  expect(asks({ hosts: undefined, recipients: undefined })).toEqual({ isMatched: false });
  const news: Partial<RecordedFacts>[] = [
    { hosts: { found: ['a.example', 'evil.example'] } },
    { hosts: { found: ['sub.a.example'] } },
    { hosts: { found: ['a.example'], isDisguised: true } },
    { recipients: { named: ['ada@a.example', 'eve@a.example'] } },
    { category: 'delete' },
    { category: 'write', otherCategories: ['send'] },
    { category: 'send', otherCategories: ['delete'] },
    { paths: { named: ['reports/may.csv'] } },
    { paths: { named: ['/'] } },
    { paths: { named: ['reports/../x'], readings: ['x'] } },
    { values: { amount: 5.01 } },
    { values: { lines: [{ count: 1 }, { count: 100 }] } },
  ];
  expect(news.map(asks)).toEqual(news.map(() => ({ isMatched: true })));
});

test.each([
  ['blocks', { decision: 'block' as const }],
  ['has conditions', { riskMode: 'rules' as const, rules: { domainDenylist: ['x'] } }],
  ['asks the risk model', { riskMode: 'model_assisted' as const }],
  ['is in shadow mode', { mode: 'shadow' as const }],
  ['is off', { enabled: false }],
  ['has the first priority', { priority: 0 }],
])('there is no draft for a policy that %s', (_, fields) => {
  expect(draftNarrower({ ...POLICY, ...fields }, findRepeatedYeses(yeses(), POLICY)!)).toBeUndefined();
});
