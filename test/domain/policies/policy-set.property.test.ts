import fc from 'fast-check';
import { matchPolicies, type PolicySubject } from '../../../domain/policies/match-policies.ts';
import {
  ACTION_CATEGORIES,
  CONNECTION_STRATEGIES,
  comparePolicies,
  END_USER_MODES,
  POLICY_DECISIONS,
  type Policy,
  RISK_MODES,
  SOURCES,
} from '../../../domain/policies/policy.ts';
import type { FilterSubject } from '../../../domain/policies/policy-filters.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { thePolicy } from '../../support/the-policy.ts';

const names = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: fc.subarray(['a', 'b', 'c', 'd']) });
const name = fc.constantFrom('a', 'b', 'c', 'e');
const bound = fc.integer({ min: 0, max: 3 });

const rules = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      actionCategories: fc.subarray([...ACTION_CATEGORIES]),
      amountThresholds: fc.array(
        fc.oneof(
          bound.map((gte) => ({ path: 'amount', gte })),
          bound.map((gt) => ({ path: 'amount', gt })),
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
);

const policies = fc
  .array(
    fc.record({
      workspaceId: fc.constantFrom(null, 'w', 'v'),
      enabled: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
      priority: fc.integer({ min: 0, max: 3 }),
      sources: fc.subarray([...SOURCES], { minLength: 1 }),
      mcpServerIds: names,
      workspaceIntegrationIds: names,
      integrationNames: names,
      integrationAliases: names,
      actionNames: names,
      connectionStrategies: fc.oneof(fc.constant([]), fc.subarray([...CONNECTION_STRATEGIES])),
      endUserMode: fc.constantFrom(...END_USER_MODES),
      decision: fc.constantFrom(...POLICY_DECISIONS),
      riskMode: fc.constantFrom(...RISK_MODES),
      rules,
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map((fields, index): Policy => thePolicy({ ...fields, id: `policy-${index}` } as Partial<Policy>)));

const subject: fc.Arbitrary<PolicySubject> = fc.record({
  workspaceId: fc.constantFrom('w', 'v', 'u'),
  source: fc.constantFrom(...SOURCES),
  mcpServerId: fc.option(name),
  workspaceIntegrationId: fc.option(name),
  integrationName: name,
  integrationAlias: fc.option(name),
  actionName: name,
  connectionStrategy: fc.option(fc.constantFrom(...CONNECTION_STRATEGIES)),
  endUserId: fc.option(name),
  category: fc.option(fc.constantFrom(...ACTION_CATEGORIES)),
  input: fc.oneof(
    fc.constant({}),
    bound.map((amount) => ({ amount })),
  ),
});

/**
 * A second implementation of specification 2.7 and 4.4 and contract decisions 3. The risk model
 * counts every call as risky.
 */
function matches(policy: Policy, call: PolicySubject): boolean {
  const asks: [readonly string[], string | null][] = [
    [policy.mcpServerIds, call.mcpServerId],
    [policy.workspaceIntegrationIds, call.workspaceIntegrationId],
    [policy.integrationNames, call.integrationName],
    [policy.integrationAliases, call.integrationAlias],
    [policy.actionNames, call.actionName],
    [policy.connectionStrategies, call.connectionStrategy],
  ];
  if (!policy.enabled || !policy.sources.includes(call.source)) return false;
  if (policy.workspaceId !== null && policy.workspaceId !== call.workspaceId) return false;
  if (asks.some(([filter, value]) => filter.length > 0 && !(filter as unknown[]).includes(value))) return false;
  if (policy.endUserMode === 'end_user_present' && call.endUserId === null) return false;
  if (policy.endUserMode === 'no_end_user' && call.endUserId !== null) return false;
  if (policy.riskMode !== 'rules' || Object.keys(policy.rules).length === 0) return true;
  const { amount } = call.input as { amount?: number };
  const { actionCategories = [], amountThresholds = [] } = policy.rules;
  return (
    (actionCategories as unknown[]).includes(call.category) ||
    amountThresholds.some(({ gte = Infinity, gt = Infinity }) => amount !== undefined && (amount >= gte || amount > gt))
  );
}

const SEVERITY = { block: 0, require_approval: 1, notify_only: 2, auto_approve: 3 };

function decides(all: Policy[], call: PolicySubject): Policy | undefined {
  const matching = all.filter((policy) => matches(policy, call));
  return matching.sort(
    (a, b) => a.priority - b.priority || SEVERITY[a.decision] - SEVERITY[b.decision] || a.id.localeCompare(b.id, 'en'),
  )[0];
}

test('for any policies and call, the index finds the policy that the specification names', () => {
  fc.assert(
    fc.property(policies, subject, (all, call) => {
      const assessments = new Map(all.map(({ id }) => [id, { score: 1, words: '' }]));
      const found = matchPolicies(policySet([...all].sort(comparePolicies)), call, assessments);
      expect(found.match?.policy.id).toBe(decides(all, call)?.id);
    }),
    { numRuns: 5000 },
  );
});

test('ten thousand policies with other names are no candidates', () => {
  const others = Array.from({ length: 10_000 }, (_, index) =>
    thePolicy({ id: `other-${index}`, integrationNames: [`integration-${index}`] }),
  );
  const mine = thePolicy({ id: 'z-mine', integrationNames: ['mail'], actionNames: ['send'] });
  const set = policySet([...others, mine]);
  const call: FilterSubject = {
    ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionStrategy: null, endUserId: null },
    ...{ integrationName: 'mail', integrationAlias: 'mail', actionName: 'send' },
  };
  expect(set.candidates(call)).toEqual([mine]);
  expect(set.candidates({ ...call, integrationName: 'none' })).toEqual([]);
});

test('a policy with many names is found by exactly these names', () => {
  const many = Array.from({ length: 500 }, (_, index) => `action-${index}`);
  const policy = thePolicy({ actionNames: many, integrationNames: ['mail', 'chat'] });
  const call = { workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, integrationAlias: null } as const;
  const rest = { connectionStrategy: null, endUserId: null, category: null, input: {}, integrationName: 'chat' };
  expect(matchPolicies(policySet([policy]), { ...call, ...rest, actionName: 'action-499' }).match?.policy).toBe(policy);
  expect(matchPolicies(policySet([policy]), { ...call, ...rest, actionName: 'action-500' }).match).toBeUndefined();
});
