import { createHash } from 'node:crypto';
import type { Approval, PlannedTool } from '../domain/approval.ts';
import { connectionOf } from '../domain/binding.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { randomId } from '../infra/tokens.ts';
import type { CodePlan } from '../sandbox/plan.ts';
import { readPlan } from '../sandbox/read-code.ts';
import { savePlan } from '../store/code-run-moves.ts';
import { PassReplacedError } from '../store/fence.ts';
import type { Gateway } from './gateway.ts';
import { type Gated, type Group, groupByPolicy } from './group-by-policy.ts';
import { hashCall, hashJson, hashPlan } from './hash-call.ts';
import { type PredictedRun, predictedRun } from './predicted-run.ts';
import { previewBatch } from './preview-batch.ts';
import { approvalFrame, requestApproval, shownReasons } from './request-approval.ts';
import type { ActionsByAlias, Surface } from './surface-cache.ts';
import { tellRequested } from './tell-orchestrator.ts';

/** What is kept of a plan: which approval covers which predicted calls. */
export interface RunPlan {
  /** Of the code that was read. */
  codeHash: string;
  /** What the plan rests on; undefined: everything that the server offers. */
  surface?: ActionsByAlias | undefined;
  toolSurfaceHash: string;
  groups: PlannedGroup[];
  /** What the history shows of it beside what its approvals hold; undefined for runs of before. */
  predicted?: PredictedRun | undefined;
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
  const plan = await readPlan(run.code, surface.actions, run.orgId);
  const toolSurfaceHash = surface.hashOf(namedSurface(plan));
  const groups = await groupByPolicy(gateway, run, surface, plan);
  if (groups.length === 0)
    return { codeHash: run.codeHash, surface: namedSurface(plan), toolSurfaceHash, groups: [], predicted: predictedRun(plan) };
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
  const preview = previewBatch(run, plan, toolSurfaceHash, surface, groups);
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
        codeHash: run.codeHash,
        surface: namedSurface(plan),
        toolSurfaceHash,
        predicted: predictedRun(plan),
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

/** SHA-256, hex, of the code as it was sent. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
