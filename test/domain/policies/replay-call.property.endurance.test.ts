import fc from 'fast-check';
import { judgePolicy, matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import { ACTION_CATEGORIES, comparePolicies, POLICY_DECISIONS, type Policy, RISK_MODES } from '../../../domain/policies/policy.ts';
import type { FilterSubject } from '../../../domain/policies/policy-filters.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { type RecordedFacts, recordFacts } from '../../../domain/policies/recorded-facts.ts';
import { type RecordedCall, replayCall, replayPolicy } from '../../../domain/policies/replay-call.ts';
import type { Assessment } from '../../../domain/policies/risk.ts';
import { thePolicy } from '../../support/the-policy.ts';

const host = fc.constantFrom('a.example', 'api.b.example', 'ｃ.example', 'd.example.', '127.0.0.1');
const address = fc.constantFrom(
  'ann@a.example',
  'Ann+tag@b.example',
  '"x y"@a.example',
  '@handle',
  '#room',
  '+49 151 000',
  'Bob <bob@a.example>, c@b.example',
);
const path = fc.constantFrom('/a/b.txt', 'a/../secret/x', '/A/%62', 'c:\\a', 'reports/', '');
const amount = fc.oneof(
  fc.integer({ min: -5, max: 1000 }),
  fc.constantFrom('900', ' 12.5 ', '1e3', 'ten', '', null, true, [1], { of: 2 }, '５００'),
);
const currency = fc.constantFrom('EUR', 'usd', 'Ｅｕｒ', '€', '', null, 978);
const text = fc.oneof(
  host.map((one) => `see https://${one}/x?y=1`),
  fc.constantFrom('hello', 'password=hunter2@a.example', 'x'.repeat(50), 'caf\u200b\u00e9 //a.example', '%68ttps%3a%2f%2fb.example'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const body = fc.record(
  { amount, currency, note: text, password: fc.oneof(text, amount), items: fc.array(fc.record({ amount, text }), { maxLength: 4 }) },
  { requiredKeys: [] },
);
const input = fc.record(
  {
    to: fc.oneof(address, fc.array(address, { maxLength: 3 })),
    path: fc.oneof(path, fc.array(path, { maxLength: 2 })),
    url: text,
    amount,
    currency,
    body,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, unknown>>;

const some = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { maxLength: 3 });
const threshold = fc.record({
  path: fc.constantFrom('amount', 'body.amount', 'body.items.*.amount', 'body.*', 'body.items.0.amount', 'to'),
  gte: fc.constantFrom(0, 500, 900.5),
  currency: fc.constantFrom(undefined, 'EUR'),
  currencyPath: fc.constantFrom(undefined, 'body.currency'),
});
const rules = fc.record(
  {
    actionCategories: fc.subarray([...ACTION_CATEGORIES]),
    amountThresholds: some(threshold),
    recipientAllowlist: some(fc.constantFrom('*@a.example', 'ann@*', '@handle', 'bob@a.example')),
    recipientDenylist: some(fc.constantFrom('ann@b.example', '*@b.example', 'handle', '+49151000')),
    domainAllowlist: some(fc.constantFrom('a.example', '*.b.example', '*')),
    domainDenylist: some(fc.constantFrom('a.example', '*.example', 'c.example', '127.0.0.1')),
    storagePathPrefixes: some(fc.constantFrom('/a', 'secret', 'reports', '/')),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Policy['rules']>;

const policies = fc
  .array(
    fc.record({
      priority: fc.integer({ min: 0, max: 3 }),
      actionNames: fc.constantFrom([], [], ['send'], ['other']),
      decision: fc.constantFrom(...POLICY_DECISIONS),
      riskMode: fc.constantFrom('rules', 'rules', ...RISK_MODES),
      rules,
    }),
    { maxLength: 8 },
  )
  .map((all) => policiesOf(all as unknown as Partial<Policy>[]));
const policiesOf = (all: Partial<Policy>[]) =>
  policySet(all.map((fields, at) => thePolicy({ ...fields, id: `p${at}` })).sort(comparePolicies));
const answer: fc.Arbitrary<Assessment> = fc.oneof(
  fc.constantFrom({ score: 0.1, words: '' }, { score: 0.9, words: '' }),
  fc.constant({ problem: 'it did not answer' }),
);

const where: Omit<FilterSubject, 'connectionStrategy'> = {
  ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, endUserId: null },
  ...{ integrationName: 'mail', integrationAlias: 'mail', actionName: 'send' },
};
const subject = fc.record({
  category: fc.option(fc.constantFrom(...ACTION_CATEGORIES)),
  otherCategories: fc.constantFrom(undefined, ['write'] as const),
  input,
  hiddenPaths: fc.constantFrom<string[]>([], [], ['to'], ['amount', 'body']),
  declares: fc.boolean(),
});
type Given = typeof subject extends fc.Arbitrary<infer One> ? One : never;

const callOf = ({ declares, ...given }: Given): PolicySubject & { input: Record<string, unknown>; hiddenPaths: string[] } => {
  const texts = (value: unknown) => [value].flat().filter((one): one is string => typeof one === 'string');
  const declared = declares ? { recipients: texts(given.input.to), paths: texts(given.input.path) } : {};
  return { ...where, connectionStrategy: 'fixed', ...given, ...declared };
};

/** `jsonb` drops undefined values and reorders keys. */
const stored = (facts: RecordedFacts): RecordedFacts => JSON.parse(JSON.stringify(facts), (_, value) => byLength(value));
const byLength = (value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)));

test('a replay of stored facts either decides like the gate or gives no verdict', () => {
  let [judged, all] = [0, 0];
  fc.assert(
    fc.property(policies, subject, answer, (set, given, said) => {
      const assessments = new Map<string, Assessment>();
      let live = matchPolicies(set, callOf(given), assessments);
      for (; live.unassessed; live = matchPolicies(set, callOf(given), assessments)) assessments.set(live.unassessed.id, said);
      const call = callOf(given);
      const facts = recordFacts(call, { match: live.match, cleared: [], assessments, policiesVersion: 1, isBudgetSpent: false });
      const replayed = replayCall(set, { ...where, facts: stored(facts) });
      all += 1;
      if ('unjudged' in replayed) return;
      judged += 1;
      expect(replayed).toEqual({ decision: live.match?.policy.decision ?? 'allow', policyId: live.match?.policy.id ?? null });
    }),
    { numRuns: 700 },
  );
  expect(judged / all).toBeGreaterThan(0.5);
});

test('a policy judges recorded facts like the call itself, or gives no verdict', () => {
  fc.assert(
    fc.property(policies, subject, (set, given) => {
      const call = callOf(given);
      const facts = recordFacts(call, { match: undefined, cleared: [], assessments: new Map(), policiesVersion: 1, isBudgetSpent: false });
      const recorded: RecordedCall = { ...where, facts: stored(facts) };
      for (const policy of set.all) {
        const replayed = replayPolicy(policy, recorded);
        if ('unjudged' in replayed) continue;
        const live = judgePolicy(policy, callOf(given), { problem: 'away' });
        const hasFired = live.findings.some(({ fired }) => fired);
        expect([policy.rules, replayed.isMatched]).toEqual([
          policy.rules,
          policy.riskMode === 'model_assisted' ? hasFired : live.verdict === 'matched',
        ]);
      }
    }),
    { numRuns: 700 },
  );
});

const replayed = (rules: Policy['rules'], input: Record<string, unknown>, fields: Partial<Policy> = {}) => {
  const call = { ...where, category: 'write', connectionStrategy: 'fixed', hiddenPaths: [], input } as const;
  const facts = recordFacts(
    { ...call, hiddenPaths: [] },
    { match: undefined, cleared: [], assessments: new Map(), policiesVersion: 1, isBudgetSpent: false },
  );
  return replayPolicy(thePolicy({ riskMode: 'rules', rules, ...fields }), { ...where, facts: stored(facts) });
};

test('a call has no verdict if the deciding fact was not kept or the risk model decides', () => {
  const input = { password: 'x@zq.example', body: 'y'.repeat(20_000) };
  expect(replayed({ actionCategories: ['write'] }, input)).toEqual({ isMatched: true });
  expect(replayed({ domainDenylist: ['zq.example'] }, input)).toEqual({ unjudged: 'too_large' });
  expect(replayed({ domainDenylist: ['zq.example'] }, { password: 'x@zq.example' })).toEqual({ unjudged: 'hidden' });
  expect(replayed({ amountThresholds: [{ path: 'pin', gte: 5 }] }, { pin: 4711 })).toEqual({ unjudged: 'not_kept' });
  expect(replayed({ amountThresholds: [{ path: 'body', gte: 5 }] }, { pin: 4711 })).toEqual({ isMatched: false });
  expect(replayed({}, {}, { riskMode: 'model_assisted' })).toEqual({ unjudged: 'risk_model' });
});

test('one fired rule is enough for a policy that stops calls, even if its other rules cannot be judged', () => {
  const both = { actionCategories: ['write'], domainDenylist: ['zq.example'] } as const;
  const rules = { actionCategories: [...both.actionCategories], domainDenylist: [...both.domainDenylist] };
  expect(replayed(rules, { password: 'x@zq.example' })).toEqual({ isMatched: true });
  expect(replayed(rules, { password: 'x@zq.example' }, { decision: 'auto_approve' })).toEqual({ unjudged: 'hidden' });
});
