import type { ActionCategory, Policy, PolicyDecision, PolicyRules, Source } from '../../../../domain/policies/policy.ts';

/** Shown names of the decisions of policies. */
export const DECISION_NAMES: Record<PolicyDecision, string> = {
  require_approval: 'Ask a person',
  notify_only: 'Tell a webhook only',
  block: 'Block',
  auto_approve: 'Let through',
};

/** Shown names of the kinds of action. */
export const KIND_NAMES: Record<ActionCategory, string> = {
  read: 'Read',
  write: 'Write',
  delete: 'Delete',
  send: 'Send',
  payment: 'Payment',
  admin: 'Admin',
  code: 'Code',
  file: 'File',
};

/** Shown names of the sources of calls. */
export const SOURCE_NAMES: Record<Source, string> = {
  rest: 'REST',
  sdk: 'SDK',
  mcp_tools: 'MCP tools',
  mcp_code: 'MCP code',
  playground: 'Playground',
  trigger: 'Trigger',
};

/** Shown names of the roles that can be approvers. */
export const ROLE_CHOICES = { owner: 'Owners', admin: 'Admins', member: 'Reviewers' } as const;

/** The filters and conditions of a policy, in a few words. */
export function describeScope(policy: Policy, workspaces: ReadonlyMap<string, string>): { text: string; hint: string } {
  const place = policy.workspaceId === null ? 'all workspaces' : (workspaces.get(policy.workspaceId) ?? 'one workspace');
  const actions = policy.actionNames.length > 0 ? some(policy.actionNames) : 'All calls';
  const named = [...policy.integrationNames, ...policy.integrationAliases];
  const narrowed = policy.mcpServerIds.length + policy.workspaceIntegrationIds.length > 0 ? ', narrowed by id' : '';
  const text = `${actions}${named.length > 0 ? ` of ${some(named)}` : ''} in ${place}${narrowed}`;
  return { text, hint: policy.riskMode === 'always' ? 'Always' : conditionsOf(policy.rules) };
}

function conditionsOf(rules: PolicyRules): string {
  const parts = [
    rules.actionCategories && some(rules.actionCategories.map((kind) => KIND_NAMES[kind])),
    rules.amountThresholds && counted(rules.amountThresholds.length, 'amount'),
    rules.recipientDenylist && counted(rules.recipientDenylist.length, 'recipient'),
    rules.recipientAllowlist && `all recipients but ${rules.recipientAllowlist.length}`,
    rules.domainDenylist && counted(rules.domainDenylist.length, 'domain'),
    rules.domainAllowlist && `all domains but ${rules.domainAllowlist.length}`,
    rules.storagePathPrefixes && counted(rules.storagePathPrefixes.length, 'path'),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? `If: ${parts.join('; ')}` : '';
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

const MAX_NAMED = 3;

function some(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return rest > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${rest} more` : names.join(', ');
}
