import type { Policy } from '../../../domain/policies/policy.ts';
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

const times = (count: number, one: () => DecidedCall) => Array.from({ length: count }, one);
const yeses = (facts?: Partial<RecordedFacts>) => times(20, () => call(facts));

test('twenty equal yeses are found, with everything that they have in common', () => {
  const other = call(
    { hosts: { found: ['b.example'] }, values: { to: '~', amount: 9, lines: [{ count: 2 }, { count: 1 }] } },
    { decidedByType: 'api_key', decidedById: 'ben' },
  );
  expect(findRepeatedYeses([other, ...times(19, () => call())], POLICY)).toEqual([
    {
      ...{ workspaceId: 'w', integrationName: 'mail', actionName: 'send', count: 20 },
      deciders: [
        { type: 'api_key', id: 'ben' },
        { type: 'user', id: 'ada' },
      ],
      known: {
        ...{ integrationName: 'mail', actionName: 'send', actionCategory: 'send', paths: [] },
        ...{ domains: ['a.example', 'b.example'], recipients: ['ada@a.example'] },
        amounts: [
          { path: 'amount', upTo: 9 },
          { path: 'lines.*.count', upTo: 2 },
        ],
      },
    },
  ]);
});

test('pending calls are ignored; calls of another action or form neither count nor end the row', () => {
  const mixed = [
    call({}, { status: 'pending', decidedByType: null }),
    call({ values: { to: '~' } }),
    call({}, { actionName: 'list', status: 'rejected' }),
  ];
  expect(findRepeatedYeses([...mixed, ...yeses()], POLICY).map(({ count }) => count)).toEqual([20]);
});

test.each<[string, DecidedCall]>([
  ['a no', call({}, { status: 'rejected' })],
  ['a request that nobody decided', call({}, { status: 'expired', decidedByType: 'timeout' })],
  ['a withdrawn request', call({}, { status: 'canceled' })],
  ['a yes by a link', call({}, { decidedByType: 'hosted_link' })],
  ['a yes of the person whom it is for', call({}, { decidedByType: 'end_user' })],
  ['a yes to another version of the policy', call({}, { policyVersion: 2 })],
  ['a no to another form of the input', call({ values: {} }, { status: 'rejected' })],
  ['a no to a call without facts', call(null, { status: 'rejected' })],
])('%s ends the row', (_, between) => {
  expect(findRepeatedYeses([...times(19, () => call()), between, ...yeses()], POLICY)).toEqual([]);
});

test.each<[string, Partial<RecordedFacts>]>([
  ['deletes', { category: 'delete' }],
  ['administers', { category: 'admin' }],
  ['runs code', { category: 'code' }],
  ['is of no known kind', { category: undefined }],
  ['may be of several kinds', { otherCategories: ['delete'] }],
  ['has a host with a star', { hosts: { found: ['*.example'] } }],
  ['has a recipient with a star', { recipients: { named: ['*@a.example'] } }],
  ['has a disguised host', { hosts: { found: ['a.example'], isDisguised: true } }],
  ['has a recipient of several readings', { recipients: { named: ['a'], readings: ['a', 'b'] } }],
  ['has a value that was not kept', { values: { to: '?' } }],
  ['has a fact that was not kept', { notKept: { hosts: 'hidden' } }],
  ['has an amount beside a currency', { values: { amount: 5, currency: 'usd' } }],
  ['has a field that no path can name', { values: { 'a.b': 5 } }],
  ['was too large to be judged', { isBudgetSpent: true }],
])('a call that %s is never equal to others', (_, facts) => {
  expect(findRepeatedYeses([...yeses(facts), ...yeses(facts)], POLICY)).toEqual([]);
});

test('long texts, and words of three letters in a field with few values, do not prevent equality', () => {
  const values = { text: '?~', timeout: 30, method: 'get' };
  expect(findRepeatedYeses(yeses({ values }), POLICY)).toEqual([]);
  expect(findRepeatedYeses(yeses({ values }), POLICY, () => new Set(['method']))[0]?.known.amounts).toEqual([
    { path: 'timeout', upTo: 30 },
  ]);
});

const MIXED = { ...POLICY, actionNames: [] };

/** Whether a policy asks about a call. */
function asks(policy: Policy, one: DecidedCall): unknown {
  const { status: _, decidedByType: __, decidedById: ___, policyVersion: ____, ...subject } = one;
  const place = { source: 'rest' as const, mcpServerId: null, workspaceIntegrationId: null, integrationAlias: null, endUserId: null };
  return replayPolicy({ ...policy, sources: ['rest'] }, { ...subject, ...place, facts: subject.facts! });
}

const drafted = (policy: Policy, calls: readonly DecidedCall[]): Policy => ({
  ...policy,
  ...draftNarrower(policy, findRepeatedYeses(calls, policy))!,
  id: 'draft',
});

test('the draft for a policy about many actions does not ask about allowed calls, and asks about all others', () => {
  const draft = drafted(MIXED, yeses({ paths: { named: ['reports/may.csv'] } }));
  expect(draft).toMatchObject({
    ...{ workspaceId: 'w', mode: 'shadow', priority: 9, decision: 'require_approval', integrationNames: ['mail'], actionNames: [] },
  });
  const ask = (facts: Partial<RecordedFacts>) => asks(draft, call(facts));
  expect(ask({})).toEqual({ isMatched: false });
  expect(ask({ paths: { named: ['reports/may.csv'] } })).toEqual({ isMatched: false });
  expect(ask({ hosts: undefined, recipients: undefined })).toEqual({ isMatched: false });
  const news: Partial<RecordedFacts>[] = [
    { hosts: { found: ['a.example', 'evil.example'] } },
    { hosts: { found: ['sub.a.example'] } },
    { hosts: { found: ['a.example'], isDisguised: true } },
    { recipients: { named: ['ada@a.example', 'eve@a.example'] } },
    { paths: { named: ['reports/may.csv', 'contracts/x'] } },
    { paths: { named: ['reports/../x'], readings: ['x'] } },
    { category: 'delete' },
    { category: undefined },
    { category: 'write', otherCategories: ['send'] },
    { category: 'send', otherCategories: ['delete'] },
    { values: { amount: 5.01 } },
    { values: { lines: [{ count: 1 }, { count: 100 }] } },
  ];
  expect(news.map(ask)).toEqual(news.map(() => ({ isMatched: true })));
  expect(asks(draft, call({}, { actionName: 'forward' }))).toEqual({ isMatched: true });
});

test('a call with missing facts is unjudged, unless another fact is certainly new', () => {
  const draft = drafted(MIXED, yeses());
  expect(asks(draft, call({ notKept: { hosts: 'hidden' } }))).toEqual({ unjudged: 'hidden' });
  expect(asks(draft, call({ notKept: { hosts: 'hidden' }, values: { amount: 50 } }))).toEqual({ isMatched: true });
  expect(asks(draft, call({ notKept: { hosts: 'hidden' } }, { actionName: 'forward' }))).toEqual({ isMatched: true });
});

test('a draft covers each action with enough yeses, keeps conditions, and adds to earlier exceptions', () => {
  const rules = { domainDenylist: ['a.example', 'b.example'] };
  const forward = () => call({ recipients: { named: ['eve@a.example'] } }, { actionName: 'forward' });
  const first = drafted({ ...MIXED, riskMode: 'rules', rules }, [...yeses(), ...times(21, forward)]);
  expect(asks(first, forward())).toEqual({ isMatched: false });
  expect(asks(first, call())).toEqual({ isMatched: false });
  // What was allowed for one action is new for another.
  expect(asks(first, call({ recipients: { named: ['eve@a.example'] } }))).toEqual({ isMatched: true });
  expect(asks(first, call({ hosts: { found: ['c.example'] } }))).toEqual({ isMatched: false }); // by its conditions
  const second = drafted(
    { ...first, mode: 'enforce' },
    times(20, () => call({ hosts: { found: ['b.example'] } })),
  );
  expect(asks(second, call({ hosts: { found: ['b.example'] } }))).toEqual({ isMatched: false });
  expect(asks(second, forward())).toEqual({ isMatched: false });
});

test.each([
  ['blocks', { decision: 'block' as const }],
  ['is a shadow', { mode: 'shadow' as const }],
  ['is off', { enabled: false }],
  ['comes first of all', { priority: 0 }],
])('there is no draft of a policy that %s', (_, fields) => {
  expect(draftNarrower({ ...POLICY, ...fields }, findRepeatedYeses(yeses(), POLICY))).toBeUndefined();
});
