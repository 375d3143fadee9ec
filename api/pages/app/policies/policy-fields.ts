import { POLICY } from '../../../../domain/limits.ts';
import {
  ACTION_CATEGORIES,
  CONNECTION_STRATEGIES,
  type POLICY_DECISIONS,
  type PolicyFields,
  REVIEWER_ROLES,
  SOURCES,
} from '../../../../domain/policies/policy.ts';
import type { Field } from '../form.ts';
import type { PolicyChoices } from './policy-choices.ts';
import { DECISION_NAMES, KIND_NAMES, ROLE_CHOICES, SOURCE_NAMES } from './policy-words.ts';
import { writeAmounts, writePaths, writeRule, writeTexts } from './rule-lines.ts';

/** Stands for an empty list of kinds. No kind of action then matches. */
export const NO_KIND = 'none';

/** The form fields of a policy, filled in with its values. */
export function policyFields(policy: PolicyFields, choices: PolicyChoices): Field[] {
  return [...whatFields(policy, choices), ...conditionFields(policy), ...decisionFields(policy, choices), ...moreFields(policy, choices)];
}

function whatFields(policy: PolicyFields, { workspaces, integrations }: PolicyChoices): Field[] {
  const { rules } = policy;
  const kinds = ACTION_CATEGORIES.map((value) => ({ value, label: KIND_NAMES[value] }));
  const none = { value: NO_KIND, label: 'None: no kind of action matches' };
  return [
    { name: 'name', label: 'Name', kind: 'text', maxLength: POLICY.nameMaxLength, value: policy.name },
    { name: 'description', label: 'Description', kind: 'textarea', isOptional: true, value: policy.description ?? '' },
    {
      ...{ name: 'workspaceId', label: 'Applies in', kind: 'select', value: policy.workspaceId ?? '' },
      options: [{ value: '', label: 'All workspaces' }, ...options(workspaces, [policy.workspaceId ?? []].flat())],
    },
    {
      ...{ name: 'decision', label: 'Decision', kind: 'radios', value: policy.decision },
      options: DECISIONS.map((value) => ({ value, label: DECISION_NAMES[value] })),
    },
    {
      ...{ name: 'sources', label: 'Sources', kind: 'checks', value: policy.sources },
      hint: 'Where a call comes from. In the playground, actions count as REST and programs as MCP code; no call counts as Playground or Trigger yet.',
      options: SOURCES.map((value) => ({ value, label: SOURCE_NAMES[value] })),
    },
    {
      ...{ name: 'kinds', label: 'Kinds of action', kind: 'checks', hint: 'None chosen: the kind does not matter.' },
      options: rules.actionCategories?.length === 0 ? [...kinds, none] : kinds,
      value: rules.actionCategories?.length === 0 ? [NO_KIND] : (rules.actionCategories ?? []),
    },
    {
      ...{ name: 'integrationNames', label: 'Integrations', kind: 'checks', hint: 'None chosen: all integrations.' },
      options: options(integrations, policy.integrationNames).map(encoded),
      value: policy.integrationNames.map(encodeURIComponent),
    },
    {
      ...{ name: 'actionNames', label: 'Actions', kind: 'textarea', isOptional: true, value: writeTexts(policy.actionNames) },
      hint: 'One per line, such as send_request. Empty: all actions.',
    },
  ];
}

const DECISIONS = ['require_approval', 'notify_only', 'block', 'auto_approve'] as const satisfies (typeof POLICY_DECISIONS)[number][];

function conditionFields({ rules }: PolicyFields): Field[] {
  const lines = { kind: 'textarea', isOptional: true } as const;
  const one = 'A call matches if it meets one condition. Without conditions, every call matches.';
  return [
    {
      ...{ ...lines, name: 'amounts', label: 'Amounts', value: writeAmounts(rules.amountThresholds) },
      hint: `One per line: the field of the input, then the bound. amount >= 500 or order.total > 20 EUR. ${one}`,
    },
    {
      ...{ ...lines, name: 'recipients', label: 'Recipients' },
      value: writeRule({ listed: rules.recipientDenylist, except: rules.recipientAllowlist }),
      hint: 'One per line. The line press@example.com matches calls to it. The line not *@example.com matches calls to any other recipient.',
    },
    {
      ...{ ...lines, name: 'domains', label: 'Domains' },
      value: writeRule({ listed: rules.domainDenylist, except: rules.domainAllowlist }),
      hint: 'One per line. The line evil.example matches calls that name it. The line not *.example.com matches calls that name any other domain.',
    },
    {
      ...{ ...lines, name: 'paths', label: 'Paths', value: writePaths(rules.storagePathPrefixes) },
      hint: 'One per line. /contracts matches files in this folder.',
    },
  ];
}

function decisionFields(policy: PolicyFields, { members, viewers }: PolicyChoices): Field[] {
  const { approvers } = policy;
  const people = approvers.flatMap((approver) => (approver.type === 'dashboard_user' ? approver.userIds : []));
  const chosen = approvers.flatMap((approver) => {
    if (approver.type === 'org_role') return approver.roles.map((role) => `role:${role}`);
    if (approver.type === 'dashboard_user') return approver.userIds.map((id) => `user:${encodeURIComponent(id)}`);
    return approver.type === 'end_user' ? ['end_user'] : [];
  });
  return [
    {
      ...{ name: 'approvers', label: 'Approvers', kind: 'checks', value: chosen },
      options: [
        ...REVIEWER_ROLES.map((role) => ({ value: `role:${role}`, label: ROLE_CHOICES[role] })),
        ...options(members, people)
          .filter(({ value }) => !viewers.has(value) || people.includes(value))
          .map(({ value, label }) => ({
            value: `user:${encodeURIComponent(value)}`,
            label: viewers.has(value) ? `${label} (a viewer: decides nothing)` : label,
          })),
        { value: 'end_user', label: 'The person whom the call is for' },
      ],
      hint: "Each of them may decide. If you choose nobody, anyone with the caller's link can decide.",
    },
    {
      ...{
        name: 'webhooks',
        label: 'Webhooks',
        kind: 'textarea',
        isOptional: true,
        hint: 'One https address per line. Each address gets a webhook about each request.',
      },
      value: writeTexts(approvers.flatMap((approver) => (approver.type === 'webhook' ? approver.webhookUrl : []))),
    },
    { name: 'timeout', label: 'Time to decide (minutes)', kind: 'number', value: minutes(policy.timeoutSeconds) },
    {
      ...{ name: 'defaultOnTimeout', label: 'If nobody decides', kind: 'select', value: policy.defaultOnTimeout },
      options: [
        { value: 'reject', label: 'It is rejected' },
        { value: 'expire', label: 'It expires' },
      ],
    },
    {
      ...{ name: 'priority', label: 'Priority', kind: 'number', value: String(policy.priority) },
      hint: 'The lowest number comes first: the first policy that matches decides.',
    },
    {
      ...{ name: 'mode', label: 'Mode', kind: 'radios', value: policy.mode },
      options: [
        { value: 'enforce', label: 'Enforce' },
        { value: 'shadow', label: 'Shadow', hint: 'The policy stops no call. It records what it would have decided.' },
      ],
    },
  ];
}

function moreFields(policy: PolicyFields, { servers }: PolicyChoices): Field[] {
  const lines = { kind: 'textarea', isOptional: true, isMore: true } as const;
  const select = { kind: 'select', isMore: true } as const;
  return [
    {
      ...{ ...select, name: 'riskMode', label: 'Conditions', value: policy.riskMode },
      options: [
        { value: 'rules', label: 'Only where a condition is met' },
        { value: 'always', label: 'Always, even if no condition is met' },
        { value: 'model_assisted', label: 'A condition, or the risk model' },
      ],
    },
    {
      ...{ name: 'mcpServerIds', label: 'MCP servers', kind: 'checks', isMore: true, value: policy.mcpServerIds },
      ...{ options: options(servers, policy.mcpServerIds), hint: 'None chosen: all calls, with or without an MCP server.' },
    },
    { ...lines, name: 'integrationAliases', label: 'Aliases', value: writeTexts(policy.integrationAliases), hint: 'One per line.' },
    {
      ...{ ...lines, name: 'workspaceIntegrationIds', label: 'Workspace integrations', value: writeTexts(policy.workspaceIntegrationIds) },
      hint: 'Their ids, one per line.',
    },
    {
      ...{ name: 'connectionStrategies', label: 'Connection strategies', kind: 'checks', isMore: true, value: policy.connectionStrategies },
      options: CONNECTION_STRATEGIES.map((value) => ({ value, label: STRATEGY_NAMES[value] })),
    },
    {
      ...{ ...select, name: 'endUserMode', label: 'On behalf of a person', value: policy.endUserMode },
      options: [
        { value: 'any', label: 'With or without a person' },
        { value: 'end_user_present', label: 'Only with a person' },
        { value: 'no_end_user', label: 'Only without a person' },
      ],
    },
    {
      ...{ name: 'reuse', label: 'Reuse an approval for (minutes)', kind: 'number', isOptional: true, isMore: true },
      value: policy.reuseWindowSeconds === null ? '' : minutes(policy.reuseWindowSeconds),
      hint: 'The same call with the same input then needs no new approval. Empty: every call needs its own.',
    },
    {
      ...{ ...select, name: 'approvalAccessMode', label: 'Where it is decided', value: policy.approvalAccessMode },
      options: [
        { value: 'dashboard_and_hosted_link', label: 'In the dashboard or by a link' },
        { value: 'dashboard_only', label: 'In the dashboard only' },
        { value: 'hosted_link_only', label: 'By a link only' },
      ],
    },
    {
      ...{ ...lines, name: 'metadata', label: 'Metadata (JSON)', hint: 'For your own use.' },
      value: policy.metadata === null ? '' : JSON.stringify(policy.metadata, null, 2),
    },
  ];
}

const STRATEGY_NAMES = {
  fixed: 'Fixed account',
  per_user: 'Account of the person',
  per_user_with_fallback: 'Account of the person, else a fixed one',
} as const;

/** A chosen value without a name stays an option. */
function options(names: ReadonlyMap<string, string>, chosen: readonly string[]) {
  const unknown = [...new Set(chosen)].filter((value) => !names.has(value));
  return [...[...names].map(([value, label]) => ({ value, label })), ...unknown.map((value) => ({ value, label: `${value} (unknown)` }))];
}

/** Encodes a value, because browsers change line breaks in values. */
function encoded({ value, label }: { value: string; label: string }) {
  return { value: encodeURIComponent(value), label };
}

/** Converts seconds to minutes, with enough digits to keep the seconds. */
function minutes(seconds: number): string {
  return String(Number((seconds / 60).toFixed(4)));
}
