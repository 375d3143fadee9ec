import type { Approval } from '../domain/approval.ts';
import { isRecord, listIn, textIn } from '../domain/loose-values.ts';
import { previewInput } from '../domain/preview-input.ts';
import type { RunPlan } from './plan-code-run.ts';
import type { PredictedRun } from './predicted-run.ts';

/** A predicted call; the lengths, in characters of JSON, stand where its input is not shown whole. */
export interface PlannedTool {
  tool: string;
  line: number | null;
  column?: number;
  repeats: boolean;
  approvalPolicyId?: string;
  input?: unknown;
  inputLength?: number;
  inputShownLength?: number;
}

/** What was predicted of a run before it ran, in the words of specification 2.8. */
export interface PlanPreview {
  /** Null where no approval of the plan shows them. */
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

/** The plan that a run goes by: as its approvals show it, or else what was kept of it. Null where there is none yet, and of runs of before that asked for nothing. */
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
    intentSummary: textIn(seen.intentSummary),
    impactSummary: textIn(seen.impactSummary),
    predictedTools: listIn(seen.predictedTools).map((call) => predictedTool(isRecord(call) ? call : { tool: call })),
    externalDomains: listIn(seen.externalDomains).map(String),
    storageIndicators: listIn(seen.storageIndicators).map(String),
    analysisConfidence: textIn(seen.analysisConfidence) ?? 'dynamic',
    dynamicSignals: listIn(seen.dynamicSignals).map(String),
    ...shared,
  };
}

function ofNames({ calls: predictedTools, ...predicted }: PredictedRun): Record<string, unknown> {
  return previewInput({ ...predicted, predictedTools }).preview;
}

/** Of plans of before one may be no more than a text that says why it is not shown. */
function predictedTool({ tool, line, repeats, input, approvalPolicyId, ...rest }: Record<string, unknown>): PlannedTool {
  const numbers = (['column', 'inputLength', 'inputShownLength'] as const).filter((name) => typeof rest[name] === 'number');
  return {
    tool: textIn(tool) ?? 'a call without a name',
    line: typeof line === 'number' ? line : null,
    repeats: repeats === true,
    ...(typeof approvalPolicyId === 'string' && { approvalPolicyId }),
    ...(input !== undefined && { input }),
    ...Object.fromEntries(numbers.map((name) => [name, rest[name]])),
  };
}
