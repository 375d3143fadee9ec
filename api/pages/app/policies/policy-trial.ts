import { type Backtest, backtestPolicy, type Decided } from '../../../../commands/policies/backtest-policy.ts';
import { testPolicy } from '../../../../commands/policies/test-policy.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { POLICY } from '../../../../domain/limits.ts';
import type { Policy, PolicyFields } from '../../../../domain/policies/policy.ts';
import type { Unjudged } from '../../../../domain/policies/replay-call.ts';
import { previewInput } from '../../../../domain/redaction/preview-input.ts';
import { isRecord } from '../../../../domain/unknown-values.ts';
import { goneSignal } from '../../../gone-signal.ts';
import { describeReason } from '../../layout/describe-reason.ts';
import { showTime } from '../../layout/show-time.ts';
import { NOT_JSON, readJsonText } from '../json-text.ts';
import type { Visit } from '../screen.ts';
import { DECISION_NAMES } from './policy-words.ts';

/** A new policy, or a stored policy with changes. */
export interface Tried {
  fields: PolicyFields;
  /** Fields to check for valid references. References in other fields are not checked again. */
  changes: Partial<PolicyFields>;
  /** Undefined for a new policy. */
  replaces: Policy | undefined;
}

/** Checks a policy against the calls of the last 7 days. */
export async function checkLastDays({ gateway, principal, workspaceId, ctx }: Visit, { fields, changes, replaces }: Tried) {
  const unchanged = { workspaceId: null, mcpServerIds: [], workspaceIntegrationIds: [], approvers: [] };
  const references = replaces ? { ...unchanged, ...changes } : fields;
  const request = { fields, references, replaces, workspaceId, days: POLICY.backtest.days.default };
  return describeBacktest(await backtestPolicy(gateway, principal, request, goneSignal(ctx)));
}

function describeBacktest({ total, matched, unjudged, isCut, decisions, examples }: Backtest) {
  const unknown = [...unjudged].map(([reason, calls]) => ({ calls, why: REASONS[reason] }));
  const changed = decisions.filter(({ was, would }) => was !== would).reduce((sum, { calls }) => sum + calls, 0);
  return {
    sentence: `Would have matched ${show(matched)} of ${show(total)} calls.`,
    changed: changed === 0 ? 'No decision would change.' : `The decision would change for ${counted(changed)}.`,
    cut: isCut ? `There were more calls. These are the newest ${show(POLICY.backtest.maxCalls)}.` : undefined,
    unjudged: unknown.length === 0 ? undefined : `${show(unknown.reduce((sum, { calls }) => sum + calls, 0))} can't be judged.`,
    reasons: unknown,
    rows: examples.map(({ call, was, would }) => ({
      ...{ call: `${call.integrationName}.${call.actionName}`, at: showTime(call.at), was: DECIDED[was], would: DECIDED[would] },
      approvalId: call.approvalId,
      isChanged: was !== would,
    })),
  };
}

const DECIDED: Record<Decided, string> = { ...DECISION_NAMES, allow: 'No policy' };

const REASONS: Record<Unjudged, string> = {
  no_facts: 'were made before such checks were possible, or were refused before policies were asked',
  too_large: 'are too large to be kept whole',
  hidden: 'have a secret where the policy looks',
  not_kept: 'have a value that was not kept',
  risk_model: 'need the answer of the risk model, which is not asked',
  policies_unknown: 'were judged by policies that are no longer known',
};

/** The typed values of the region "Test a call". */
export interface TestedCall {
  integration: string;
  action: string;
  input: string;
}

/** Reads the fields of "Test a call". */
export function testedCallOf(form: URLSearchParams): TestedCall {
  return {
    integration: form.get('test-integration') ?? '',
    action: form.get('test-action')?.trim() ?? '',
    input: form.get('test-input') ?? '',
  };
}

/** Tests a policy with a call. */
export async function tryCall({ gateway, principal }: Visit, fields: PolicyFields, workspaceId: string | undefined, call: TestedCall) {
  const read = await readJsonText(call.input.trim() || '{}');
  if (workspaceId === undefined) return { problem: 'There is no workspace yet, so there are no calls.' };
  if (call.action === '') return { problem: 'Action is missing.' };
  if (!read.ok && read.problem !== NOT_JSON) return { problem: `Input (JSON) ${read.problem}.` };
  if (!read.ok || !isRecord(read.value)) return { problem: 'Input (JSON) must be a JSON object.' };
  const input = read.value;
  const subject = {
    ...{ workspaceId, source: fields.sources[0]!, integrationName: call.integration, integrationAlias: null, actionName: call.action },
    ...{ connectionStrategy: null, endUserId: null, mcpServerId: null, workspaceIntegrationId: null, input },
  };
  try {
    const { matched, reasons } = await testPolicy(gateway, principal, fields, subject);
    const integration = (await gateway.catalog.find(principal.orgId, call.integration))?.displayName ?? call.integration;
    const about = { policyName: fields.name, inputPreview: previewInput(input).preview, integrationName: call.integration };
    return {
      sentence: matched ? MATCHED[fields.decision] : "It doesn't match: another policy decides, or none.",
      reasons: reasons.map((reason) => describeReason(reason, about, { integration })),
    };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    return { problem: error.message };
  }
}

const MATCHED: Record<PolicyFields['decision'], string> = {
  require_approval: 'It matches: a person is asked.',
  notify_only: 'It matches: the webhook is told, and the call runs.',
  block: 'It matches: the call is blocked.',
  auto_approve: 'It matches: the call runs.',
};

const NUMBER = new Intl.NumberFormat('en');

function show(count: number): string {
  return NUMBER.format(count);
}

function counted(count: number): string {
  return count === 1 ? '1 call' : `${show(count)} calls`;
}
