import fc from 'fast-check';
import { matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import {
  CONNECTION_STRATEGIES,
  comparePolicies,
  END_USER_MODES,
  POLICY_DECISIONS,
  type Policy,
  SOURCES,
} from '../../../domain/policies/policy.ts';
import { findOverlaps } from '../../../domain/policies/policy-overlap.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { warnAboutPolicy } from '../../../domain/policies/policy-warnings.ts';
import { thePolicy } from '../../support/the-policy.ts';

const names = fc.oneof(fc.constant([]), fc.subarray(['a', 'b', 'C']), fc.constant(['ａ']));
const categories = fc.subarray(['read', 'write'] as const);
const hosts = fc.subarray(['a.example', 'b.example']);
const rules = fc.oneof(
  fc.constant({}),
  fc.record({ actionCategories: categories, domainDenylist: hosts, domainAllowlist: hosts }, { requiredKeys: [] }),
);
const policies = fc
  .array(
    fc.record({
      workspaceId: fc.constantFrom(null, null, 'w'),
      enabled: fc.constantFrom(true, true, true, false),
      mode: fc.constantFrom('enforce', 'enforce', 'enforce', 'shadow'),
      priority: fc.integer({ min: 0, max: 3 }),
      sources: fc.subarray([...SOURCES].slice(0, 2), { minLength: 1 }),
      integrationNames: names,
      actionNames: names,
      connectionStrategies: fc.constantFrom([], ['fixed'] as const),
      endUserMode: fc.constantFrom('any', ...END_USER_MODES),
      decision: fc.constantFrom(...POLICY_DECISIONS),
      riskMode: fc.constantFrom('rules', 'rules', 'always'),
      rules,
    }),
    { minLength: 2, maxLength: 6 },
  )
  .map((all) => all.map((fields, at) => thePolicy({ ...fields, id: `p${at}`, name: `P${at}` } as unknown as Partial<Policy>)));
const call = fc.record({
  workspaceId: fc.constantFrom('w', 'v'),
  source: fc.constantFrom(...[...SOURCES].slice(0, 2)),
  mcpServerId: fc.constant(null),
  workspaceIntegrationId: fc.constant(null),
  integrationName: fc.constantFrom('a', 'b', 'c'),
  integrationAlias: fc.constant('x'),
  actionName: fc.constantFrom('a', 'b', 'c'),
  connectionStrategy: fc.constantFrom(...CONNECTION_STRATEGIES),
  endUserId: fc.constantFrom(null, 'u'),
  category: fc.constantFrom('read', 'write'),
  input: fc.constantFrom({}, { url: 'https://a.example' }, { url: 'https://b.example c@a.example' }, { url: 'https://ａ.example' }),
}) as fc.Arbitrary<PolicySubject>;

test('a policy that is reported as never reached decides no call', () => {
  fc.assert(
    fc.property(policies, fc.array(call, { minLength: 20, maxLength: 20 }), (all, calls) => {
      const set = policySet(all.filter(({ mode }) => mode === 'enforce').sort(comparePolicies));
      for (const policy of all) {
        const [overlap] = findOverlaps(policy, all);
        if (!overlap?.isWhole) continue;
        for (const subject of calls) expect(matchPolicies(set, { ...subject }).match?.policy.id).not.toBe(policy.id);
      }
    }),
    { numRuns: 700 },
  );
});

const warned = (policy: Partial<Policy>, ...others: Partial<Policy>[]) => {
  const quiet: Partial<Policy> = {
    riskMode: 'rules',
    approvalAccessMode: 'dashboard_only',
    sources: ['rest', 'sdk', 'mcp_tools', 'mcp_code'],
  };
  const all = others.map((fields, at) => thePolicy({ ...quiet, id: `o${at}`, name: `Other ${at}`, ...fields }));
  return warnAboutPolicy(thePolicy({ ...quiet, id: 'me', priority: 50, ...policy }), all);
};
const NEVER = (name: string) => [expect.stringMatching(new RegExp(`^Never reached: "${name}" comes first`))];

test('a policy is never reached if an earlier one decides all its calls', () => {
  expect(warned({}, { priority: 1 })).toEqual(NEVER('Other 0'));
  expect(warned({ integrationNames: ['Mail'] }, { priority: 1, integrationNames: ['mail', 'chat'] })).toEqual(NEVER('Other 0'));
  expect(warned({}, { priority: 50, decision: 'block' })).toEqual(NEVER('Other 0'));
  const rules = { domainDenylist: ['a.example'] };
  expect(warned({ rules }, { priority: 1, rules: { domainDenylist: ['b.example', 'a.example'] } })).toEqual(NEVER('Other 0'));
  expect(warned({ rules: { domainAllowlist: ['a', 'b'] } }, { priority: 1, rules: { domainAllowlist: ['a'] } })).toEqual(NEVER('Other 0'));
});

test('a policy can be reached if no other policy surely decides all its calls first', () => {
  for (const other of [
    { priority: 51 },
    { priority: 1, enabled: false },
    { priority: 1, mode: 'shadow' },
    { priority: 1, integrationNames: ['mail'] },
    { priority: 1, workspaceId: 'w' },
    { priority: 1, riskMode: 'model_assisted' },
    { priority: 1, rules: { actionCategories: ['read'] } },
  ] satisfies Partial<Policy>[])
    expect([other, warned({}, other)]).toEqual([other, []]);
  const rules = { domainDenylist: ['a.example'] };
  expect(warned({ rules }, { priority: 1, rules, decision: 'auto_approve' })).toEqual([]);
});

test('a policy that stops calls is shadowed by earlier policies that admit some of them', () => {
  const opens = { priority: 1, decision: 'auto_approve' as const, integrationNames: ['mail'] };
  expect(warned({}, opens)).toEqual([expect.stringMatching(/^Shadowed: "Other 0" comes first and lets through calls/)]);
  expect(warned({}, opens, opens, opens, opens)).toEqual([
    expect.stringMatching(/^Shadowed: "Other 0", "Other 1", "Other 2" and 1 more come first and let/),
  ]);
  expect(warned({ decision: 'notify_only' }, opens)).toEqual([]);
  expect(warned({ integrationNames: ['chat'] }, opens)).toEqual([]);
});

test('a hostile name is shown with its invisible characters escaped', () => {
  expect(warned({}, { priority: 1, name: 'a\u202eb\u200b<script>' })).toEqual([expect.stringContaining('"a\\u{202e}b\\u{200b}<script>"')]);
});
