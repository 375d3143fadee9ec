import { evaluateRules, type RuleSubject } from './evaluate-rules.ts';
import type { ConnectionStrategy, Policy, Source } from './policy.ts';
import type { PolicySet } from './policy-set.ts';

/** What the filters of a policy look at: an action, before there is an input. */
export interface FilterSubject {
  workspaceId: string;
  source: Source;
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  integrationName: string;
  integrationAlias: string | null;
  actionName: string;
  connectionStrategy: ConnectionStrategy | null;
  endUserId: string | null;
}

/** What a policy looks at: one call whose input is final. */
export interface PolicySubject extends FilterSubject, RuleSubject {}

export interface PolicyMatch {
  policy: Policy;
  /** Why it matched, in words for a reviewer. */
  reasons: string[];
}

/** The first policy that matches decides (specification 4.4). */
export function matchPolicies(policies: PolicySet, subject: PolicySubject): PolicyMatch | undefined {
  for (const policy of policies.candidates(subject)) {
    const reasons = matchPolicy(policy, subject);
    if (reasons) return { policy, reasons };
  }
  return undefined;
}

/** Why one policy matches a call, or undefined when it does not (decisions section 3: riskMode). */
export function matchPolicy(policy: Policy, subject: PolicySubject): string[] | undefined {
  if (!policy.enabled || !passesFilters(policy, subject)) return undefined;
  const filters = describeFilters(policy);
  if (policy.riskMode === 'always') return [filters];

  const fired = evaluateRules(policy.rules, subject);
  if (policy.riskMode === 'model_assisted')
    return [filters, ...fired, 'risk model: no endpoint is configured, so the call counts as risky'];
  if (Object.keys(policy.rules).length === 0) return [filters];
  return fired.length > 0 ? [...(namesAnything(policy) ? [filters] : []), ...fired] : undefined;
}

/** Whether some call of an action may have to wait for a person, as far as can be said before there is an input. */
export function mayNeedApproval(policies: PolicySet, subject: FilterSubject): boolean {
  return policies
    .candidates(subject)
    .some((policy) => policy.enabled && policy.decision === 'require_approval' && passesFilters(policy, subject));
}

function passesFilters(policy: Policy, subject: FilterSubject): boolean {
  return (
    (policy.workspaceId === null || policy.workspaceId === subject.workspaceId) &&
    policy.sources.includes(subject.source) &&
    allows(policy.mcpServerIds, subject.mcpServerId) &&
    allows(policy.workspaceIntegrationIds, subject.workspaceIntegrationId) &&
    allows(policy.integrationNames, subject.integrationName) &&
    allows(policy.integrationAliases, subject.integrationAlias) &&
    allows(policy.actionNames, subject.actionName) &&
    allows(policy.connectionStrategies, subject.connectionStrategy) &&
    (policy.endUserMode === 'any' || (policy.endUserMode === 'end_user_present') === (subject.endUserId !== null))
  );
}

function allows(filter: readonly string[], value: string | null): boolean {
  return filter.length === 0 || (value !== null && filter.includes(value));
}

/** A policy without filters is for every action; where rules decide, saying so would mislead. */
function namesAnything(policy: Policy): boolean {
  const { mcpServerIds, workspaceIntegrationIds, integrationNames, integrationAliases, actionNames, connectionStrategies } = policy;
  const filters = [mcpServerIds, workspaceIntegrationIds, integrationNames, integrationAliases, actionNames, connectionStrategies];
  return policy.endUserMode !== 'any' || filters.some((filter) => filter.length > 0);
}

function describeFilters(policy: Policy): string {
  const parts = [
    named('integration', policy.integrationNames),
    named('alias', policy.integrationAliases),
    named('action', policy.actionNames),
    named('connection strategy', policy.connectionStrategies),
    policy.mcpServerIds.length > 0 ? 'this MCP server' : '',
    policy.workspaceIntegrationIds.length > 0 ? 'this workspace integration' : '',
    policy.endUserMode === 'any' ? '' : policy.endUserMode === 'end_user_present' ? 'an end user is present' : 'no end user is present',
  ].filter(Boolean);
  return `policy "${policy.name}" matches ${parts.length > 0 ? parts.join(', ') : 'every action'}`;
}

function named(kind: string, values: readonly string[]): string {
  return values.length > 0 ? `${kind} ${values.join(' or ')}` : '';
}
