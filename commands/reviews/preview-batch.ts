import type { ActiveRun } from '../../domain/code-run.ts';
import { hiddenValues } from '../../domain/redaction/hidden-values.ts';
import { type Preview, previewInput } from '../../domain/redaction/preview-input.ts';
import { hostsIn, textsIn } from '../../sandbox/plan/hints.ts';
import { type CodePlan, MAX_LISTED, type PredictedCall } from '../../sandbox/plan/plan.ts';
import type { Group } from '../code-runs/plan/group-by-policy.ts';
import type { Surface } from '../surfaces/surface-cache.ts';
import { describeImpact, describeIntent } from './describe-plan.ts';
import { type PlannedInput, previewPlannedInputs } from './preview-planned-inputs.ts';

/** `presetPaths` are the redacted paths that are hidden only because their values are preset. */
type BatchPreview = Preview & { presetPaths: string[] };

/**
 * The redacted preview of a plan (specification 2.8). For a call that needs approval, the shown
 * input is the input that the approval binds to.
 */
export function previewBatch(run: ActiveRun, plan: CodePlan, toolSurfaceHash: string, surface: Surface, groups: Group[]): BatchPreview {
  const gated = new Map(groups.flatMap(({ gated }) => gated.map(({ predicted, call }) => [predicted, call] as const)));
  // Enforced preset values are hidden everywhere except in our own text, where any word can happen
  // to equal such a value.
  const hide = [...gated.values()].flatMap(({ input, hiddenPaths }) => hiddenValues(input, hiddenPaths));
  const inputs = previewPlannedInputs(plan.calls, gated, hide);
  const ours = previewOfOurs(run, plan, toolSurfaceHash, surface, groups);
  const reached = [...gated.keys()].flatMap(({ input }) => textsIn(input).flatMap((text) => hostsIn(text)));
  const named = { ...plan, externalDomains: [...new Set([...reached, ...plan.externalDomains])].slice(0, MAX_LISTED) };
  const categoryOf = (call: PredictedCall) => gated.get(call)?.category ?? surface.find(call.alias, call.action)?.action.category;
  const cutOf = (call: PredictedCall) => inputs.get(call)?.cut ?? null;
  const ofTheCode = previewInput(
    {
      intentSummary: describeIntent(plan),
      impactSummary: describeImpact(named, { gated: new Set(gated.keys()), cutOf, categoryOf }),
      externalDomains: named.externalDomains,
      storageIndicators: plan.storageIndicators,
      dynamicSignals: plan.dynamicSignals,
    },
    [],
    hide,
  );
  const predictedTools = ours.preview.predictedTools.map((tool, index) => ({ ...tool, ...fieldsOf(inputs.get(plan.calls[index]!)) }));
  const pathsOf = (kind: 'redactedPaths' | 'presetPaths') =>
    plan.calls.flatMap((call, index) => (inputs.get(call)?.[kind] ?? []).map((path) => `predictedTools.${index}.${path}`));
  return {
    preview: { ...ours.preview, ...ofTheCode.preview, predictedTools },
    redactedPaths: listed([...ours.redactedPaths, ...ofTheCode.redactedPaths, ...pathsOf('redactedPaths')]),
    presetPaths: pathsOf('presetPaths').slice(0, MAX_PATHS),
  };
}

/** Enough for the maximum number of calls, with long names. */
const MAX_READ_OF_OURS = 500_000;

interface OfOurs extends Preview {
  preview: Record<string, unknown> & { predictedTools: Record<string, unknown>[] };
}

function previewOfOurs(run: ActiveRun, plan: CodePlan, toolSurfaceHash: string, surface: Surface, groups: Group[]): OfOurs {
  const policyOf = new Map(groups.flatMap(({ match, gated }) => gated.map(({ predicted }) => [predicted, match.policy.id] as const)));
  const ours = {
    type: 'mcp_code_batch_run',
    codeRunId: run.id,
    approvalRequiredTools: [...new Set([...policyOf.keys()].map(toolOf))],
    approvalGroups: groups.map(({ match, gated }) => ({
      approvalPolicyId: match.policy.id,
      approvalPolicyName: match.policy.name,
      tools: [...new Set(gated.map(({ predicted }) => toolOf(predicted)))],
    })),
    availableApps: Object.keys(surface.actions),
    analysisConfidence: plan.analysisConfidence,
    codeHash: run.codeHash,
    toolSurfaceHash,
    predictedTools: plan.calls.map((call) => ({
      tool: toolOf(call),
      repeats: call.repeats,
      line: call.line,
      column: call.column,
      ...(call.parts && { openFields: call.parts.open.map((path) => path.join('.')) }),
      ...(policyOf.has(call) && { approvalPolicyId: policyOf.get(call) }),
    })),
  };
  return previewInput(ours, [], [], { left: MAX_READ_OF_OURS }) as OfOurs;
}

function fieldsOf(input: PlannedInput | undefined): Record<string, unknown> {
  return {
    ...input?.shown,
    ...(input?.cut && { inputLength: input.cut.length, inputShownLength: input.cut.shownLength }),
  };
}

const MAX_PATHS = 1000;

function listed(paths: string[]): string[] {
  return paths.length > MAX_PATHS ? [...paths.slice(0, MAX_PATHS), `[${paths.length - MAX_PATHS} more]`] : paths;
}

function toolOf({ alias, action }: PredictedCall): string {
  return `${alias}.${action}`;
}
