import { matchPolicies, type PolicySubject } from '../domain/policies/match-policies.ts';
import { type PolicySet, policySet } from '../domain/policies/policy-set.ts';
import { thePolicy } from '../test/support/the-policy.ts';
import { type Bar, steadyRounds, timeBar } from './bar.ts';
import { printBars } from './report.ts';

const DECISIONS_A_ROUND = 100_000;

printBars(await policyBars());

/**
 * node bench/policies.ts: bar 11: a decision among 10,000 policies, compared with one among 100.
 */
async function policyBars(): Promise<Bar[]> {
  const [few, many] = [aSet(100), aSet(10_000)];
  const bars: Bar[] = [];
  for (const what of ['nothing matches', 'the last one matches'] as const) {
    const call = subject(what === 'nothing matches' ? 'no-such-integration' : 'mail');
    const round = async () => ({ ours: microseconds(many, call), reference: microseconds(few, call) });
    bars.push(timeBar(`11 a decision among 10,000 policies against 100, ${what}`, 1.5, await steadyRounds(round, (time) => time), 'µs'));
  }
  return bars;
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
