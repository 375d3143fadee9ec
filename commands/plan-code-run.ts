import { createHash } from 'node:crypto';
import type { Approval, PlannedTool } from '../domain/approval.ts';
import { connectionOf } from '../domain/binding.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { previewInput } from '../domain/preview-input.ts';
import { randomId } from '../infra/tokens.ts';
import { type CodePlan, planCode } from '../sandbox/plan.ts';
import { savePlan } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/journal.ts';
import type { Gateway } from './gateway.ts';
import { type Gated, type Group, groupByPolicy } from './group-by-policy.ts';
import { hashCall, hashJson, hashPlan } from './hash-call.ts';
import { approvalFrame, requestApproval, shownReasons } from './request-approval.ts';
import type { ActionsByAlias, Surface } from './surface-cache.ts';
import { tellRequested } from './tell-orchestrator.ts';

/** What is kept of a plan: which approval covers which predicted calls. */
export interface RunPlan {
  /** What the plan rests on; undefined: everything that the server offers. */
  surface?: ActionsByAlias | undefined;
  toolSurfaceHash: string;
  groups: PlannedGroup[];
}

export interface PlannedGroup {
  policyId: string;
  approvalId: string;
  calls: PlannedCall[];
}

/** A predicted call under an approval: with exactly this input where the plan knew it, else any input. */
export interface PlannedCall {
  alias: string;
  action: string;
  /** Binding of the call (`hashCall`); null where the input was not known. */
  inputHash: string | null;
  /** The account that it would act with (`connectionOf`), which binds it where the input was not known. */
  connection: string | null;
  repeats: boolean;
}

/** Predicts what a run will call and asks, once for each policy, for what needs a person; the run waits then (design: gates and durable code runs, Plan). */
export async function planCodeRun(gateway: Gateway, run: CodeRun, surface: Surface): Promise<RunPlan> {
  const plan = planCode(run.code, surface.actions);
  const toolSurfaceHash = surface.hashOf(namedSurface(plan));
  const groups = await groupByPolicy(gateway, run, surface, plan);
  if (groups.length === 0) return { surface: namedSurface(plan), toolSurfaceHash, groups: [] };
  return askForGroups(gateway, run, plan, toolSurfaceHash, surface, groups);
}

/** What an approval of the plan rests on: the actions that it names, or everything when it is dynamic (decisions section 4, Surface). */
function namedSurface(plan: CodePlan): ActionsByAlias | undefined {
  if (plan.analysisConfidence === 'dynamic') return undefined;
  const named: Record<string, string[]> = {};
  for (const { alias, action } of plan.calls) {
    named[alias] ??= [];
    if (!named[alias].includes(action)) named[alias].push(action);
  }
  return named;
}

async function askForGroups(
  gateway: Gateway,
  run: CodeRun,
  plan: CodePlan,
  toolSurfaceHash: string,
  surface: Surface,
  groups: Group[],
): Promise<RunPlan> {
  const preview = batchPreview(run, plan, toolSurfaceHash, surface.actions, groups);
  const { asked, runPlan } = await gateway.db
    .transaction(async (tx) => {
      const asked: Approval[] = [];
      for (const { match, call, gated } of groups) {
        asked.push(
          await requestApproval(gateway, tx, {
            ...approvalFrame(match),
            orgId: run.orgId,
            workspaceId: run.workspaceId,
            mcpServerId: run.mcpServerId,
            workspaceIntegrationId: call.workspaceIntegrationId,
            concernedConnectionIds: [...new Set(gated.flatMap(({ call }) => call.connectionId ?? []))],
            concernedIntegrationIds: [...new Set(gated.flatMap(({ call }) => call.workspaceIntegrationId ?? []))],
            connectionId: null,
            connectionVersion: null,
            codeHash: run.codeHash,
            toolSurfaceHash,
            plannedTools: plannedTools(gated),
            requestHash: null,
            connectionStrategy: call.connectionStrategy,
            endUserId: run.endUserId,
            source: 'mcp_code',
            integrationName: call.integrationName,
            integrationAlias: call.integrationAlias,
            actionName: call.actionName,
            inputHash: hashPlan({ codeRunId: run.id, policyId: match.policy.id, codeHash: run.codeHash, toolSurfaceHash }),
            inputPreview: preview.preview,
            redactedPaths: preview.redactedPaths,
            riskReasons: shownReasons(match, call),
            idempotencyKey: randomId('idem_'),
            codeRunId: run.id,
            callNumber: null,
            requestedByType: run.requestedByType,
            requestedById: run.requestedById,
          }),
        );
      }
      const runPlan: RunPlan = {
        surface: namedSurface(plan),
        toolSurfaceHash,
        groups: groups.map(({ match, gated }, index) => ({
          policyId: match.policy.id,
          approvalId: asked[index]!.id,
          calls: gated.map(({ predicted, call }) => ({
            alias: predicted.alias,
            action: predicted.action,
            inputHash: predicted.inputKnown ? hashCall(call) : null,
            connection: connectionOf(call),
            repeats: predicted.repeats,
          })),
        })),
      };
      if (!(await savePlan(tx, run, runPlan))) throw new PassReplacedError('another planner was first');
      return { asked, runPlan };
    })
    .catch(planAnew);
  await Promise.all(asked.map((approval) => tellRequested(gateway, approval)));
  return runPlan;
}

/** Each action once with each account, in the order of the code. */
function plannedTools(gated: Gated[]): PlannedTool[] {
  const tools = gated.map(({ predicted: { alias, action }, call }) => ({ alias, action, connection: connectionOf(call) }));
  return [...new Map(tools.map((tool) => [hashJson(tool), tool])).values()];
}

/** What the plan rests on went while it was made: trying again plans on what there is then. */
function planAnew(error: unknown): never {
  const isGone = error instanceof GatewayError && error.code === 'NOT_FOUND';
  throw isGone ? new GatewayError('UNAVAILABLE', 'What this run can call has just changed. Try again.') : error;
}

/**
 * The preview of specification 2.8, redacted as every preview is. Intent and impact are said from the plan and the code's own leading comment, never
 * invented; the input of a gated call is the very one that its approval binds to.
 */
function batchPreview(run: CodeRun, plan: CodePlan, toolSurfaceHash: string, actions: ActionsByAlias, groups: Group[]) {
  const gatedCalls = new Map(groups.flatMap(({ gated }) => gated.map(({ predicted, call }) => [predicted, call] as const)));
  const approvalRequiredTools = [...new Set([...gatedCalls.keys()].map(toolOf))];
  const hidden = plan.calls.flatMap((predicted, index) =>
    (gatedCalls.get(predicted)?.hiddenPaths ?? []).map((path) => `predictedTools.${index}.input.${path}`),
  );
  const ours = previewInput({
    type: 'mcp_code_batch_run',
    codeRunId: run.id,
    approvalRequiredTools,
    approvalGroups: groups.map(({ match, gated }) => ({
      approvalPolicyId: match.policy.id,
      approvalPolicyName: match.policy.name,
      tools: [...new Set(gated.map(({ predicted }) => toolOf(predicted)))],
    })),
    availableApps: Object.keys(actions),
    analysisConfidence: plan.analysisConfidence,
    codeHash: run.codeHash,
    toolSurfaceHash,
  });
  // What a preset enforces is hidden here wherever it shows up; it could hide any word of ours as well.
  const ofTheCode = previewInput(
    {
      intentSummary: plan.leadingComment ?? `Runs a program that calls ${list([...new Set(plan.calls.map(toolOf))])}.`,
      impactSummary: impactOf(plan, approvalRequiredTools),
      predictedTools: plan.calls.map((call) => ({
        tool: toolOf(call),
        ...(call.inputKnown ? { input: gatedCalls.get(call)?.input ?? call.input } : {}),
        repeats: call.repeats,
        line: call.line,
      })),
      externalDomains: plan.externalDomains,
      storageIndicators: plan.storageIndicators,
      dynamicSignals: plan.dynamicSignals,
    },
    hidden,
  );
  return { preview: { ...ours.preview, ...ofTheCode.preview }, redactedPaths: [...ours.redactedPaths, ...ofTheCode.redactedPaths] };
}

function impactOf(plan: CodePlan, gatedTools: string[]): string {
  const parts = [
    `${plan.calls.length} call${plan.calls.length === 1 ? '' : 's'} found in the code, of which ${list(gatedTools)} need approval`,
  ];
  if (plan.externalDomains.length > 0) parts.push(`it names the domains ${list(plan.externalDomains)}`);
  if (plan.calls.some((call) => call.repeats)) parts.push('some calls may run several times');
  if (plan.analysisConfidence !== 'exact') parts.push('not every input is known before it runs; calls outside this plan ask again');
  return `${parts.join('; ')}.`;
}

function toolOf({ alias, action }: { alias: string; action: string }): string {
  return `${alias}.${action}`;
}

function list(names: string[]): string {
  return names.length > 0 ? names.join(', ') : 'nothing';
}

/** SHA-256, hex, of the code as it was sent. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
