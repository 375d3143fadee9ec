import { createHash } from 'node:crypto';
import type { Approval, PlannedTool } from '../../../domain/approval.ts';
import { connectionOf } from '../../../domain/binding.ts';
import type { ActiveRun } from '../../../domain/code-run.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { randomId } from '../../../infra/tokens.ts';
import type { CodePlan } from '../../../sandbox/plan/plan.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import { readProgram } from '../../../sandbox/reader/read-code.ts';
import { savePlan } from '../../../store/code-run-transitions.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import { approvalFrame, requestApproval, shownReasons } from '../../approvals/request-approval.ts';
import { hashCall, hashJson, hashPlan } from '../../calls/hash-call.ts';
import type { Gateway } from '../../gateway.ts';
import { startApprovalWorkflow } from '../../outbox/notify-orchestrator.ts';
import { previewBatch } from '../../reviews/preview-batch.ts';
import type { ActionsByAlias, Surface } from '../../surfaces/surface-cache.ts';
import { type Gated, type Group, groupByPolicy } from './group-by-policy.ts';
import { type PredictedRun, predictedRun } from './predicted-run.ts';
import { sealProgram } from './sealed-program.ts';

/** The stored part of a plan. */
export interface RunPlan {
  codeHash: string;
  /** The actions that the plan depends on. Undefined: all actions that the MCP server offers. */
  surface?: ActionsByAlias | undefined;
  toolSurfaceHash: string;
  groups: PlannedGroup[];
  /** The predicted calls, for the history of the run. */
  predicted: PredictedRun;
}

interface PlannedGroup {
  policyId: string;
  approvalId: string;
  calls: PlannedCall[];
}

/**
 * A predicted call that an approval covers. If the input is known, only this input is covered.
 * Otherwise any input that has all `fields` is covered.
 */
export interface PlannedCall {
  alias: string;
  action: string;
  /** `hashCall` of the call. Null if the input is unknown. */
  inputHash: string | null;
  fields?: PlannedField[];
  /** The account (`connectionOf`) that a call with an unknown input must use. */
  connection: string | null;
  repeats: boolean;
}

/** A field of an input, as the code sends it. */
export interface PlannedField {
  path: string[];
  /** `hashJson` of the value. */
  hash: string;
}

/** A plan, and the program that the same parse produced. */
export interface PlannedRun {
  plan: RunPlan;
  /** Null if parsing took too much time or memory. */
  program: RunnableCode | null;
}

/**
 * Predicts the calls of a run, and requests one approval for each policy that requires approval.
 * Throws PassReplacedError if another process planned first, and UNAVAILABLE if a needed record was
 * deleted.
 */
export async function planCodeRun(gateway: Gateway, run: ActiveRun, surface: Surface): Promise<PlannedRun> {
  const { plan: codePlan, runnable: program } = await readProgram(run.code, surface.actions, run.orgId);
  const named = namedSurface(codePlan);
  const plan = {
    ...{ codeHash: run.codeHash, surface: named, toolSurfaceHash: surface.hashOf(named) },
    predicted: predictedRun(codePlan),
  };
  const groups = await groupByPolicy(gateway, run, surface, codePlan);
  if (groups.length === 0) return { plan: { ...plan, groups: [] }, program };
  return { plan: await requestApprovals(gateway, run, { plan, codePlan, program, surface, groups }), program };
}

/** Undefined for a dynamic plan: it depends on all actions (contract decisions 4, Surface). */
function namedSurface(plan: CodePlan): ActionsByAlias | undefined {
  if (plan.analysisConfidence === 'dynamic') return undefined;
  const ofAlias = Map.groupBy(plan.calls, ({ alias }) => alias);
  return Object.fromEntries([...ofAlias].map(([alias, calls]) => [alias, [...new Set(calls.map(({ action }) => action))]]));
}

interface Asked {
  plan: Omit<RunPlan, 'groups'>;
  codePlan: CodePlan;
  program: RunnableCode | null;
  surface: Surface;
  groups: Group[];
}

type Preview = ReturnType<typeof previewBatch>;

async function requestApprovals(gateway: Gateway, run: ActiveRun, { plan, codePlan, program, surface, groups }: Asked): Promise<RunPlan> {
  const preview = previewBatch(run, codePlan, plan.toolSurfaceHash, surface, groups);
  const request = ({ match, call, gated }: Group) => approvalOfGroup(run, plan, preview, { match, call, gated });
  const { approvals, runPlan } = await gateway.db
    .transaction(async (tx) => {
      const approvals: Approval[] = [];
      for (const group of groups) approvals.push(await requestApproval(gateway, tx, request(group)));
      const runPlan = { ...plan, groups: groups.map((group, index) => plannedGroup(group, approvals[index]!.id)) };
      const sealed = program && sealProgram(gateway, run, program);
      if (!(await savePlan(tx, run, runPlan, sealed))) throw new PassReplacedError('another planner was first');
      return { approvals, runPlan };
    })
    .catch(retryWithoutDeleted);
  await Promise.all(approvals.map((approval) => startApprovalWorkflow(gateway, approval)));
  return runPlan;
}

function approvalOfGroup(run: ActiveRun, { toolSurfaceHash }: Asked['plan'], preview: Preview, { match, call, gated }: Group) {
  return {
    ...approvalFrame(match),
    orgId: run.orgId,
    workspaceId: run.workspaceId,
    mcpServerId: run.mcpServerId,
    workspaceIntegrationId: call.workspaceIntegrationId,
    concernedConnectionIds: [...new Set(gated.flatMap(({ call }) => call.connectionId ?? []))],
    concernedIntegrationIds: [...new Set(gated.flatMap(({ call }) => call.workspaceIntegrationId ?? []))],
    connectionId: null,
    connectionVersion: null,
    definitionHash: null,
    codeHash: run.codeHash,
    toolSurfaceHash,
    plannedTools: plannedTools(gated),
    requestHash: null,
    connectionStrategy: call.connectionStrategy,
    endUserId: run.endUserId,
    source: 'mcp_code' as const,
    integrationName: call.integrationName,
    integrationAlias: call.integrationAlias,
    actionName: call.actionName,
    inputHash: hashPlan({ codeRunId: run.id, policyId: match.policy.id, codeHash: run.codeHash, toolSurfaceHash }),
    inputPreview: preview.preview,
    redactedPaths: preview.redactedPaths,
    presetPaths: preview.presetPaths,
    riskReasons: shownReasons(match, call),
    idempotencyKey: randomId('idem_'),
    codeRunId: run.id,
    callNumber: null,
    requestedByType: run.requestedByType,
    requestedById: run.requestedById,
  };
}

function plannedGroup({ match, gated }: Group, approvalId: string): PlannedGroup {
  const calls = gated.map(({ predicted, call }) => ({
    ...{ alias: predicted.alias, action: predicted.action, repeats: predicted.repeats },
    inputHash: predicted.inputKnown ? hashCall(call) : null,
    ...(predicted.parts && { fields: predicted.parts.known.map(({ path, value }) => ({ path, hash: hashJson(value) })) }),
    connection: connectionOf(call),
  }));
  return { policyId: match.policy.id, approvalId, calls };
}

function plannedTools(gated: Gated[]): PlannedTool[] {
  const tools = gated.map(({ predicted: { alias, action }, call }) => ({ alias, action, connection: connectionOf(call) }));
  return [...new Map(tools.map((tool) => [hashJson(tool), tool])).values()];
}

/** Throws UNAVAILABLE for a deleted record: the next attempt plans without it. */
function retryWithoutDeleted(error: unknown): never {
  const isGone = error instanceof GatewayError && error.code === 'NOT_FOUND';
  throw isGone ? new GatewayError('UNAVAILABLE', 'What this run can call has just changed. Try again.') : error;
}

/** SHA-256 in hex of the code as it was sent. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
