import { matchPolicy, type PolicySubject } from '../domain/match-policies.ts';
import type { Policy, PolicyDecision, PolicyFields } from '../domain/policy.ts';
import { parseInput } from '../integrations/parse-input.ts';
import type { Gateway } from './gateway.ts';

export type TestedCall = Pick<
  PolicySubject,
  'workspaceId' | 'source' | 'integrationName' | 'integrationAlias' | 'actionName' | 'connectionStrategy'
> & {
  input: Record<string, unknown>;
};

export interface PolicyTest {
  /** `allow` where the policy does not match. */
  decision: PolicyDecision | 'allow';
  matched: boolean;
  reasons: string[];
}

/** What a policy would decide of a call, without making either (specification 4.4). The action may be one that nobody knows yet. */
export function testPolicy(gateway: Gateway, orgId: string, fields: PolicyFields, call: TestedCall): PolicyTest {
  const now = new Date();
  const policy: Policy = { ...fields, id: '', orgId, version: 0, createdAt: now, updatedAt: now };
  const subject = { ...call, mcpServerId: null, workspaceIntegrationId: null, endUserId: null, ...judgeInput(gateway, call) };
  const reasons = matchPolicy(policy, subject);
  return reasons ? { decision: policy.decision, matched: true, reasons } : { decision: 'allow', matched: false, reasons: [] };
}

/** What rules look at; an input that the action would refuse is looked at as it is. */
function judgeInput(gateway: Gateway, { integrationName, actionName, input }: TestedCall) {
  const action = gateway.catalog.find(integrationName)?.actions.get(actionName);
  const parsed = action && parseInput(action, input);
  if (!action || !parsed?.ok) return { category: action?.category ?? null, input };
  return {
    category: action.categoryOf(parsed.input),
    input: parsed.input,
    recipients: action.recipients?.(parsed.input),
    paths: action.paths?.(parsed.input),
  };
}
