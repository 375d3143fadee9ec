import fc from 'fast-check';
import { type FilterSubject, matchPolicies, matchPolicy, type PolicySubject } from '../../domain/match-policies.ts';
import { comparePolicies, type Policy } from '../../domain/policy.ts';
import { policySet } from '../../domain/policy-set.ts';
import { thePolicy } from '../support/the-policy.ts';

const names = fc.subarray(['a', 'b', 'c', 'd']);
const name = fc.constantFrom('a', 'b', 'c', 'e');

const policies = fc
  .array(
    fc.record({
      integrationNames: names,
      actionNames: names,
      integrationAliases: names,
      workspaceIntegrationIds: names,
      mcpServerIds: names,
      priority: fc.integer({ min: 0, max: 3 }),
      decision: fc.constantFrom('block', 'require_approval', 'auto_approve'),
    }),
    { maxLength: 30 },
  )
  .map((all) =>
    all.map((fields, index): Policy => thePolicy({ ...fields, id: `policy-${index}` } as Partial<Policy>)).sort(comparePolicies),
  );

const subject: fc.Arbitrary<PolicySubject> = fc
  .record({
    integrationName: name,
    actionName: name,
    integrationAlias: fc.option(name),
    workspaceIntegrationId: fc.option(name),
    mcpServerId: fc.option(name),
  })
  .map((named) => ({
    ...({ workspaceId: 'w', source: 'rest', connectionStrategy: 'fixed', endUserId: null } satisfies Partial<FilterSubject>),
    ...{ category: null, input: {} },
    ...named,
  }));

test('the index finds the very policy that asking all of them one after another finds', () => {
  fc.assert(
    fc.property(policies, subject, (all, call) => {
      const linear = all.find((policy) => matchPolicy(policy, call));
      expect(matchPolicies(policySet(all), call)?.policy.id).toBe(linear?.id);
    }),
    { numRuns: 2000 },
  );
});

test('policies that name other things are not candidates, however many there are', () => {
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

test('a policy that names very many things is still found by each of them', () => {
  const many = Array.from({ length: 500 }, (_, index) => `action-${index}`);
  const policy = thePolicy({ actionNames: many, integrationNames: ['mail', 'chat'] });
  const call = { workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, integrationAlias: null } as const;
  const rest = { connectionStrategy: null, endUserId: null, category: null, input: {}, integrationName: 'chat' };
  expect(matchPolicies(policySet([policy]), { ...call, ...rest, actionName: 'action-499' })?.policy).toBe(policy);
  expect(matchPolicies(policySet([policy]), { ...call, ...rest, actionName: 'action-500' })).toBeUndefined();
});
