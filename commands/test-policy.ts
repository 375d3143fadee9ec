import type { RuleSubject } from '../domain/evaluate-rules.ts';
import { matchPolicy, type PolicySubject } from '../domain/match-policies.ts';
import type { Policy, PolicyDecision, PolicyFields } from '../domain/policy.ts';
import type { CatalogAction } from '../integrations/catalog.ts';
import { judgeLeniently } from '../integrations/judge-leniently.ts';
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

/**
 * What a policy would decide of a call, without making either (specification 4.4). The action may be one that nobody knows yet, and an
 * input may be unfinished: what can be told of it is looked at, and the reasons say that no call is possible with it.
 */
export function testPolicy(gateway: Gateway, orgId: string, fields: PolicyFields, call: TestedCall): PolicyTest {
  const now = new Date();
  const policy: Policy = { ...fields, id: '', orgId, version: 0, createdAt: now, updatedAt: now };
  const { judged, problems } = judgeInput(gateway, call);
  const subject = { ...call, mcpServerId: null, workspaceIntegrationId: null, endUserId: null, ...judged };
  const reasons = matchPolicy(policy, subject);
  return {
    decision: reasons ? policy.decision : 'allow',
    matched: reasons !== undefined,
    reasons: [...(reasons ?? []), ...problems],
  };
}

/** What rules look at, and why the action would refuse the input. */
function judgeInput(gateway: Gateway, { integrationName, actionName, input }: TestedCall): { judged: RuleSubject; problems: string[] } {
  const action = gateway.catalog.find(integrationName)?.actions.get(actionName);
  if (!action) return { judged: { category: null, input }, problems: [] };
  const parsed = parseInput(action, input);
  if (parsed.ok) return { judged: judge(action, parsed.input), problems: [] };
  const issues = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const problem = `the input is not valid for ${integrationName}.${actionName}, so a call with it is refused before any policy: ${issues.join('; ')}`;
  return { judged: judgeLeniently(action, input), problems: [problem] };
}

function judge(action: CatalogAction, input: Record<string, unknown>): RuleSubject {
  return { category: action.categoryOf(input), input, recipients: action.recipients?.(input), paths: action.paths?.(input) };
}
