import { allowsHostedLink } from '../approval.ts';
import { visibleText } from '../redaction/visible-text.ts';
import { namesPeople } from './approver-rules.ts';
import { DEFAULT_SOURCES, type Policy, type PolicyFields } from './policy.ts';
import { findOverlaps } from './policy-overlap.ts';

/**
 * Returns warnings about unexpected effects of a policy (contract decisions 7, Policy, further
 * fields). `others`: the policies that may decide before `policy`.
 */
export function warnAboutPolicy(policy: Policy, others: readonly Policy[]): string[] {
  return [...outranked(policy, others), ...selfApprovable(policy), ...evadable(policy), ...unasked(policy)];
}

const MAX_NAMED = 3;

function outranked(policy: Policy, others: readonly Policy[]): string[] {
  const overlaps = findOverlaps(policy, others);
  if (overlaps.length === 0) return [];
  const names = overlaps.slice(0, MAX_NAMED).map(({ by }) => `"${visibleText(by.name)}"`);
  const more = overlaps.length > MAX_NAMED ? ` and ${overlaps.length - MAX_NAMED} more` : '';
  const comes = overlaps.length > 1 ? 'come first and let' : 'comes first and lets';
  return overlaps[0]!.isWhole
    ? [`Never reached: ${names[0]} comes first and decides every call that this policy matches. ${EARLIER}.`]
    : [`Shadowed: ${names.join(', ')}${more} ${comes} through calls that this policy would stop. ${EARLIER} if it must stop them.`];
}

const EARLIER = 'Give this policy a lower priority number';

function unasked({ mode, riskMode }: Policy): string[] {
  return mode === 'shadow' && riskMode === 'model_assisted' ? [MODEL_UNASKED] : [];
}

const MODEL_UNASKED =
  'Shadow: the risk model is not asked for a shadow policy, so a call that only the model could judge is recorded as unknown.';

function selfApprovable({ decision, approvers, approvalAccessMode, endUserMode }: PolicyFields): string[] {
  if (decision !== 'require_approval') return [];
  if (!namesPeople(approvers)) return allowsHostedLink(approvalAccessMode) ? [CALLER_DECIDES] : [];
  const mayAskEndUser = endUserMode !== 'no_end_user' && approvers.some(({ type }) => type === 'end_user');
  return mayAskEndUser ? [END_USER_DECIDES] : [];
}

const CALLER_DECIDES =
  'Self-approvable: no person is named as approver, so the caller can approve its own call with the link in the answer. Name people in approvers (org_role, dashboard_user or end_user), or set approvalAccessMode to dashboard_only.';
const END_USER_DECIDES =
  'Self-approvable: the end user of a call may approve the call, and may also be its caller. If someone else must decide, name org_role or dashboard_user instead of end_user.';

/** Filters on what any key of the workspace can change in a workspace integration. */
const CHANGEABLE = ['integrationAliases', 'workspaceIntegrationIds', 'connectionStrategies'] as const;

function evadable(policy: PolicyFields): string[] {
  const isGate = policy.decision === 'require_approval' || policy.decision === 'block';
  if (!isGate) return [];
  const used = CHANGEABLE.filter((field) => policy[field].length > 0);
  const missing = DEFAULT_SOURCES.filter((source) => !policy.sources.includes(source));
  return [
    ...(used.length > 0 ? [changeable(used)] : []),
    ...(missing.length > 0 ? [otherSource(missing)] : []),
    ...(policy.endUserMode !== 'any' ? [OTHER_END_USER] : []),
    ...(policy.mcpServerIds.length > 0 ? [OTHER_SERVER] : []),
  ];
}

function changeable(fields: readonly string[]): string {
  return `Evadable: a key of the workspace can change what this policy filters by (${fields.join(', ')}), or configure the same integration once more. Filter by integrationNames and actionNames if callers must not evade it.`;
}

function otherSource(missing: readonly string[]): string {
  return `Evadable: a caller can make the same call through a source that this policy leaves out (${missing.join(', ')}), so name all of ${DEFAULT_SOURCES.join(', ')} in sources if callers must not evade it.`;
}

const OTHER_END_USER =
  'Evadable: a REST caller chooses whether it names an end user, so set endUserMode to any if callers must not evade it.';
const OTHER_SERVER =
  'Evadable: a caller can make the same call over REST or through another MCP server, so leave mcpServerIds empty if callers must not evade it.';
