import { KEPT_JSON_MAX_BYTES, POLICY } from '../../../../domain/limits.ts';
import type { Approver, PolicyFields, PolicyRules } from '../../../../domain/policies/policy.ts';
import { parseOrExplain } from '../../../../integrations/parse-or-explain.ts';
import { newPolicy, policyChanges } from '../../../v1/approval-policies/schema.ts';
import type { Field, Problems } from '../form.ts';
import { NOT_JSON, type ReadJson, readShortJsonText } from '../json-text.ts';
import { NO_KIND } from './policy-fields.ts';
import { type ReadLines, readAmounts, readPaths, readRule, readTexts } from './rule-lines.ts';

/** `fields` has the names of the API and is not validated yet. */
interface ReadForm {
  fields: Record<string, unknown>;
  problems: Problems;
}

/** `sentence` is a problem that concerns no field. */
export type PolicyForm<Value> = { ok: true; value: Value } | { ok: false; problems: Problems; sentence?: string | undefined };

/** Reads a new policy from its form. */
export function readNewPolicy(form: URLSearchParams): PolicyForm<PolicyFields> {
  const { fields, problems } = readFields(form);
  const parsed = parsedBy(newPolicy, fields, fields);
  if (Object.keys(problems).length === 0) return parsed;
  return { ok: false, problems: { ...(!parsed.ok && parsed.problems), ...problems } };
}

/**
 * Reads the changes to a policy from its form. `untouched` holds the fields as the page showed
 * them. A field without edits changes nothing, so values that the form cannot show are kept.
 */
export function readPolicyChanges(form: URLSearchParams, untouched: readonly Field[]): PolicyForm<Partial<PolicyFields>> {
  const { fields, problems } = readFields(form);
  const before = readFields(typedOf(untouched)).fields;
  const changed = Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  // The schema of changes would treat a missing value as unchanged.
  const missing = changed.filter(([, value]) => value === undefined).map(([name]) => [fieldOf(name, fields) ?? name, 'is missing']);
  const found = { ...Object.fromEntries(missing), ...problems };
  if (Object.keys(found).length > 0) return { ok: false, problems: found };
  if (changed.length === 0) return { ok: true, value: {} };
  return parsedBy(policyChanges, Object.fromEntries(changed), fields);
}

/**
 * The values that a browser sends for unedited fields. Checkboxes have the order of their options.
 */
export function typedOf(fields: readonly Field[]): URLSearchParams {
  const typed = new URLSearchParams();
  for (const { name, kind, options = [], value = '' } of fields) {
    const values = [value].flat();
    const sent = kind === 'checks' ? options.map((option) => option.value).filter((one) => values.includes(one)) : values;
    for (const one of sent) typed.append(name, one);
  }
  return typed;
}

function parsedBy(schema: typeof newPolicy | typeof policyChanges, value: object, fields: ReadForm['fields']): PolicyForm<PolicyFields> {
  const parsed = parseOrExplain(schema, value);
  if (parsed.ok) return { ok: true, value: parsed.value as PolicyFields };
  return { ok: false, ...problemsOf(parsed.issues, fields) };
}

/** Assigns issues of the API to form fields. */
export function problemsOf(
  issues: readonly { path: string; message: string }[],
  fields: { approvers?: unknown },
): { problems: Problems; sentence: string | undefined } {
  const problems: Problems = {};
  const others: string[] = [];
  for (const { path, message } of issues) {
    const field = fieldOf(path, fields);
    const entry = /\.(\d+)(?:\.|$)/.exec(path)?.[1];
    const said = message.startsWith('missing key') ? 'is missing' : message;
    if (field) problems[field] ??= entry === undefined ? said : `has an entry ${Number(entry) + 1} that ${said}`;
    else others.push(`${path} ${message}`);
  }
  return { problems, sentence: others.length > 0 ? `${others.join('; ')}.` : undefined };
}

const FIELD_NAMES: Record<string, string> = {
  'rules.actionCategories': 'kinds',
  'rules.amountThresholds': 'amounts',
  'rules.recipientAllowlist': 'recipients',
  'rules.recipientDenylist': 'recipients',
  'rules.domainAllowlist': 'domains',
  'rules.domainDenylist': 'domains',
  'rules.storagePathPrefixes': 'paths',
  rules: 'amounts',
  timeoutSeconds: 'timeout',
  reuseWindowSeconds: 'reuse',
};

function fieldOf(path: string, { approvers = [] }: { approvers?: unknown }): string | undefined {
  const parts = path.split('.');
  if (parts[0] === 'approvers') return (approvers as Approver[])[Number(parts[1])]?.type === 'webhook' ? 'webhooks' : 'approvers';
  return FIELD_NAMES[parts.slice(0, 2).join('.')] ?? FIELD_NAMES[parts[0]!] ?? parts[0];
}

function readFields(form: URLSearchParams): ReadForm {
  const problems: Problems = {};
  const text = (name: string) => (form.get(name) ?? '').replaceAll('\r\n', '\n').trim();
  const lines = <Value>(name: string, read: (lines: string) => ReadLines<Value>): Value | undefined => {
    const found = read(form.get(name) ?? '');
    if (found.ok) return found.value;
    problems[name] = found.problem;
    return undefined;
  };
  const number = (name: string, { min, max }: { min: number; max: number }, unit = 1): number | undefined => {
    const typed = text(name);
    if (typed === '') return undefined;
    const isNumber = /^\d+(?:\.\d+)?$/.test(typed) && (unit > 1 || !typed.includes('.'));
    const value = isNumber ? Math.round(Number(typed) * unit) : Number.NaN;
    if (value >= min && value <= max) return value;
    problems[name] = `must be a number from ${min / unit} to ${max / unit}`;
    return undefined;
  };
  const decoded = (name: string) => form.getAll(name).map(decode);
  const metadata = (): unknown => {
    if (text('metadata') === '') return null;
    const read = readMetadata(text('metadata'));
    if (read.ok) return read.value;
    problems.metadata = read.problem;
    return null;
  };
  const fields = {
    name: text('name') || undefined,
    description: text('description') || null,
    workspaceId: text('workspaceId') || null,
    decision: text('decision') || undefined,
    sources: form.getAll('sources'),
    integrationNames: decoded('integrationNames'),
    actionNames: lines('actionNames', readTexts),
    rules: rulesOf(form, lines),
    approvers: [...approversOf(form), ...(lines('webhooks', readTexts) ?? []).map((webhookUrl) => ({ type: 'webhook', webhookUrl }))],
    timeoutSeconds: number('timeout', POLICY.timeoutSeconds, 60),
    defaultOnTimeout: text('defaultOnTimeout') || undefined,
    priority: number('priority', POLICY.priority),
    mode: text('mode') || undefined,
    riskMode: text('riskMode') || undefined,
    mcpServerIds: form.getAll('mcpServerIds'),
    integrationAliases: lines('integrationAliases', readTexts),
    workspaceIntegrationIds: lines('workspaceIntegrationIds', readTexts),
    connectionStrategies: form.getAll('connectionStrategies'),
    endUserMode: text('endUserMode') || undefined,
    reuseWindowSeconds: number('reuse', POLICY.reuseWindowSeconds, 60) ?? null,
    approvalAccessMode: text('approvalAccessMode') || undefined,
    metadata: metadata(),
  };
  return { fields, problems };
}

/** In characters. Leaves room for spaces, which are not stored. */
const METADATA_MAX_LENGTH = 4 * KEPT_JSON_MAX_BYTES;

function readMetadata(typed: string): ReadJson {
  if (typed.length > METADATA_MAX_LENGTH) return { ok: false, problem: `is too large: at most ${KEPT_JSON_MAX_BYTES} bytes as JSON` };
  const read = readShortJsonText(typed);
  return read.ok || read.problem !== NOT_JSON ? read : { ok: false, problem: 'must be a JSON object' };
}

function rulesOf(
  form: URLSearchParams,
  lines: <Value>(name: string, read: (lines: string) => ReadLines<Value>) => Value | undefined,
): Record<keyof PolicyRules, unknown> {
  const kinds = form.getAll('kinds');
  const [recipients, domains] = [lines('recipients', readRule), lines('domains', readRule)];
  const rules = {
    actionCategories: kinds.length === 0 ? undefined : kinds.filter((kind) => kind !== NO_KIND),
    amountThresholds: lines('amounts', readAmounts),
    recipientAllowlist: recipients?.except,
    recipientDenylist: recipients?.listed,
    domainAllowlist: domains?.except,
    domainDenylist: domains?.listed,
    storagePathPrefixes: lines('paths', readPaths),
  };
  return Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined)) as Record<keyof PolicyRules, unknown>;
}

function approversOf(form: URLSearchParams): object[] {
  const chosen = form.getAll('approvers');
  const after = (prefix: string) => chosen.filter((one) => one.startsWith(prefix)).map((one) => decode(one.slice(prefix.length)));
  const [roles, userIds] = [after('role:'), after('user:')];
  return [
    ...(roles.length > 0 ? [{ type: 'org_role', roles }] : []),
    ...(userIds.length > 0 ? [{ type: 'dashboard_user', userIds }] : []),
    ...(chosen.includes('end_user') ? [{ type: 'end_user' }] : []),
  ];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
