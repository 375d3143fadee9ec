import type { Approval } from '../../domain/approval.ts';
import { previewInput } from '../../domain/redaction/preview-input.ts';
import { asList, asText, isRecord } from '../../domain/unknown-values.ts';
import type { RunPlan } from '../code-runs/plan/plan-code-run.ts';
import type { PredictedRun } from '../code-runs/plan/predicted-run.ts';

/** The two lengths are in characters of JSON. They are set if the input is not shown whole. */
interface PlannedTool {
  tool: string;
  line: number | null;
  column?: number;
  repeats: boolean;
  approvalPolicyId?: string;
  input?: unknown;
  inputLength?: number;
  inputShownLength?: number;
}

/** The prediction for a run, in the form of specification 2.8. */
export interface PlanPreview {
  /** Null if no approval of the plan is shown. */
  intentSummary: string | null;
  impactSummary: string | null;
  predictedTools: PlannedTool[];
  approvalRequiredTools: string[];
  approvalGroups: { approvalPolicyId: string; approvalPolicyName: string | null; approvalId: string; tools: string[] }[];
  externalDomains: string[];
  storageIndicators: string[];
  analysisConfidence: string;
  dynamicSignals: string[];
  toolSurfaceHash: string;
}

/**
 * The plan of a run as its approvals show it, or the stored prediction if no approval may be shown.
 * Null if there is neither.
 */
export function previewRunPlan(plan: RunPlan | undefined, approvals: readonly Approval[], hidden: ReadonlySet<string>): PlanPreview | null {
  if (!plan) return null;
  const { toolSurfaceHash } = plan;
  const ofPlan = plan.groups.flatMap(({ approvalId }) => approvals.find(({ id }) => id === approvalId) ?? []);
  const approvalGroups = plan.groups.map(({ policyId, approvalId, calls }) => ({
    approvalPolicyId: policyId,
    approvalPolicyName: ofPlan.find(({ id }) => id === approvalId)?.policyName ?? null,
    approvalId,
    tools: [...new Set(calls.map(({ alias, action }) => `${alias}.${action}`))],
  }));
  const shared = { approvalGroups, approvalRequiredTools: [...new Set(approvalGroups.flatMap(({ tools }) => tools))], toolSurfaceHash };
  const seen = ofPlan.find(({ id }) => !hidden.has(id))?.inputPreview ?? (plan.predicted && ofNames(plan.predicted));
  if (!seen) return null;
  return {
    intentSummary: asText(seen.intentSummary),
    impactSummary: asText(seen.impactSummary),
    predictedTools: asList(seen.predictedTools).map((call) => predictedTool(isRecord(call) ? call : { tool: call })),
    externalDomains: asList(seen.externalDomains).map(String),
    storageIndicators: asList(seen.storageIndicators).map(String),
    analysisConfidence: asText(seen.analysisConfidence) ?? 'dynamic',
    dynamicSignals: asList(seen.dynamicSignals).map(String),
    ...shared,
  };
}

function ofNames({ calls: predictedTools, ...predicted }: PredictedRun): Record<string, unknown> {
  return previewInput({ ...predicted, predictedTools }).preview;
}

/** Reads a predicted call of a preview. The text in place of a cut call becomes its name. */
function predictedTool({ tool, line, repeats, input, approvalPolicyId, ...rest }: Record<string, unknown>): PlannedTool {
  const numbers = (['column', 'inputLength', 'inputShownLength'] as const).filter((name) => typeof rest[name] === 'number');
  return {
    tool: asText(tool) ?? 'a call without a name',
    line: typeof line === 'number' ? line : null,
    repeats: repeats === true,
    ...(typeof approvalPolicyId === 'string' && { approvalPolicyId }),
    ...(input !== undefined && { input }),
    ...Object.fromEntries(numbers.map((name) => [name, rest[name]])),
  };
}
