import { compileAhead } from '../../domain/policies/compiled-rules.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import { indexPolicies, type PolicySet } from '../../domain/policies/policy-set.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';

/**
 * Prepares sorted policies for the gate, in slices, because a thousand policies would block other
 * calls.
 */
export async function preparePolicies(policies: readonly Policy[]): Promise<PolicySet> {
  const isLarge = policies.length > 20;
  for (const policy of policies) {
    compileAhead(policy.rules);
    if (isLarge) await breathe();
  }
  const shadows = policies.filter(({ mode }) => mode === 'shadow');
  const enforced = await indexed(policies.filter(({ mode }) => mode === 'enforce'));
  return shadows.length === 0 ? enforced : { ...enforced, shadows: await indexed(shadows) };
}

async function indexed(policies: readonly Policy[]): Promise<PolicySet> {
  const index = indexPolicies(policies);
  for (let step = index.next(); ; step = index.next()) {
    if (step.done) return step.value;
    await breathe();
  }
}
