import { matchPolicies, type PolicySubject } from '../domain/match-policies.ts';
import { type PolicySet, policySet } from '../domain/policy-set.ts';
import { thePolicy } from '../test/support/the-policy.ts';
import { type Bar, timeBar } from './bar.ts';

const ROUNDS = 9;
const DECISIONS_A_ROUND = 100_000;

/** Bar 11: one decision among 10,000 policies that name other things, against one among 100; where nothing matches, and where the last one does. */
export function policyBars(): Bar[] {
  const [few, many] = [aSet(100), aSet(10_000)];
  return (['nothing matches', 'the last one matches'] as const).map((what) => {
    const call = subject(what === 'nothing matches' ? 'no-such-integration' : 'mail');
    const times = { ours: [] as number[], reference: [] as number[] };
    for (const set of [many, few]) microseconds(set, call);
    for (let round = 0; round < ROUNDS; round += 1) {
      times.ours.push(microseconds(many, call));
      times.reference.push(microseconds(few, call));
    }
    return timeBar(`11 a decision among 10,000 policies against 100, ${what}`, 1.5, times, 'µs');
  });
}

function aSet(size: number): PolicySet {
  const others = Array.from({ length: size - 1 }, (_, n) =>
    thePolicy({ id: `p${n}`, integrationNames: [`integration-${n}`], actionNames: ['send'] }),
  );
  return policySet([...others, thePolicy({ id: 'z', integrationNames: ['mail'], actionNames: ['send'] })]);
}

function subject(integrationName: string): PolicySubject {
  return {
    ...{ workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionStrategy: 'fixed', endUserId: null },
    ...{ integrationName, integrationAlias: integrationName, actionName: 'send', category: 'send', input: { to: 'a@example.com' } },
  };
}

function microseconds(set: PolicySet, call: PolicySubject): number {
  const startedAt = performance.now();
  for (let n = 0; n < DECISIONS_A_ROUND; n += 1) matchPolicies(set, call);
  return ((performance.now() - startedAt) * 1000) / DECISIONS_A_ROUND;
}
