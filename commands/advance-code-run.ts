import type { Approval } from '../domain/approval.ts';
import { type CodeRun, type CodeRunResult, type CodeRunStatus, isFinished, type RunError } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { isDatabaseAway } from '../infra/database.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassResult } from '../sandbox/pass.ts';
import { listRunApprovals } from '../store/approvals.ts';
import { beginPass, findCodeRun, findPlan, finishRun, pauseRun } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/journal.ts';
import { listReceipts } from '../store/receipts.ts';
import { cancelApprovalsOfRun } from './cancel-approvals-of-run.ts';
import { RunFailure } from './code-run-errors.ts';
import { expireUnusedApproval } from './expire-unused-approval.ts';
import type { Gateway } from './gateway.ts';
import { planCodeRun, type RunPlan } from './plan-code-run.ts';
import { type Pass, runPass } from './run-pass.ts';
import type { Surface } from './surface-cache.ts';

export interface AdvanceCodeRun {
  codeRunId: string;
  /** The caller asks the run to go on; without, and with nobody who waits for it, only endings are noticed. */
  resume: boolean;
  cancel: boolean;
  signal: AbortSignal;
}

export interface AdvancedCodeRun {
  status: CodeRunStatus;
  pendingApprovalIds: string[];
  approvalIds: string[];
  /** Epoch milliseconds at which waiting ends by itself. */
  waitsUntil: number | null;
}

/**
 * Moves a run as far as it can go: plans it, makes a pass when nothing is pending, ends it when a person said no or the time is up.
 * Everything that it goes by is in Postgres, so it may be repeated at any point.
 */
export async function advanceCodeRun(
  gateway: Gateway,
  sandbox: Sandbox,
  { codeRunId, resume, cancel, signal }: AdvanceCodeRun,
): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) return { status: 'canceled', pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
  if (isFinished(run.status)) {
    if (run.status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
    return standing(gateway, run.id, run.status);
  }
  if (cancel) return finish(gateway, run, 'canceled', { code: 'CODE_RUN_CANCELED', message: 'The run was canceled.' });
  try {
    if (run.toolSurfaceHash === null) return await firstPass(gateway, sandbox, run, signal);
    const approvals = await listStandingApprovals(gateway, run.id);
    const ending = await endingOf(gateway, approvals);
    if (ending) return await finish(gateway, run, ending.status, ending.error);
    if (approvals.some(({ status }) => status === 'pending')) return await pause(gateway, run);
    return resume || run.isAwaited ? await laterPass(gateway, sandbox, run, signal) : await standing(gateway, run.id, run.status);
  } catch (error) {
    if (error instanceof PassReplacedError) return afterAll(gateway, run.id);
    if (signal.aborted || isPassing(error)) throw error;
    gateway.logger.error({ codeRunId, err: error }, 'a code run failed on our side');
    return finish(gateway, run, 'failed', {
      code: 'CODE_RUN_FAILED',
      message: 'The run failed on the side of the service. It is not tried again.',
    });
  }
}

/** Trying again later may help. */
function isPassing(error: unknown): boolean {
  return isDatabaseAway(error) || (error instanceof GatewayError && error.code === 'UNAVAILABLE');
}

async function firstPass(gateway: Gateway, sandbox: Sandbox, run: CodeRun, signal: AbortSignal): Promise<AdvancedCodeRun> {
  const surface = await surfaceOf(gateway, run);
  const plan = await planCodeRun(gateway, run, surface);
  if (plan.groups.length > 0) return standing(gateway, run.id, 'waiting');
  const passNumber = await beginPass(gateway.db, run.id, plan);
  return pass(gateway, sandbox, run, { passNumber, plan, surface, signal });
}

/** The plan holds while what it rests on has not changed; a difference asks again (design: gates and durable code runs). */
async function laterPass(gateway: Gateway, sandbox: Sandbox, run: CodeRun, signal: AbortSignal): Promise<AdvancedCodeRun> {
  const surface = await surfaceOf(gateway, run);
  let plan = (await findPlan<RunPlan>(gateway.db, run.id))!;
  if (plan.toolSurfaceHash !== surface.hashOf(plan.surface)) {
    plan = await planCodeRun(gateway, run, surface);
    if (plan.groups.length > 0) return standing(gateway, run.id, 'waiting');
  }
  const passNumber = await beginPass(gateway.db, run.id, plan);
  return pass(gateway, sandbox, run, { passNumber, plan, surface, signal });
}

async function pass(gateway: Gateway, sandbox: Sandbox, run: CodeRun, given: Omit<Pass, 'run' | 'timeMs'>): Promise<AdvancedCodeRun> {
  const startedAt = performance.now();
  const runningMs = () => performance.now() - startedAt;
  const { limitSeconds } = gateway.config.code;
  const timeMs = limitSeconds * 1000 - run.runningMs;
  if (timeMs <= 0)
    return finish(gateway, run, 'failed', { code: 'CODE_TIMEOUT', message: `The code ran longer than ${limitSeconds} seconds` });
  try {
    const result = await runPass(gateway, sandbox, { ...given, run, timeMs });
    if (given.signal.aborted) throw given.signal.reason;
    if (result.kind === 'paused') return await pause(gateway, { ...run, passNumber: given.passNumber }, runningMs());
    return await finish(gateway, run, result.kind === 'returned' ? 'executed' : 'failed', errorOf(result), {
      result,
      runningMs: runningMs(),
    });
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    return finish(
      gateway,
      run,
      'failed',
      { code: error.code, message: error.message },
      { runningMs: runningMs(), passNumber: given.passNumber },
    );
  }
}

async function pause(gateway: Gateway, { id, passNumber }: CodeRun, runningMs = 0): Promise<AdvancedCodeRun> {
  await pauseRun(gateway.db, id, { passNumber, runningMs });
  return standing(gateway, id, 'waiting');
}

function surfaceOf(gateway: Gateway, { mcpServerId, orgId, workspaceId }: CodeRun): Promise<Surface> {
  return gateway.surfaces.of({ serverId: mcpServerId, orgId, workspaceId });
}

type Ending = { status: CodeRunStatus; error: RunError };

/** Why a run can't go on: a person said no, or a permission ran out. */
async function endingOf(gateway: Gateway, approvals: Approval[]): Promise<Ending | undefined> {
  for (const approval of approvals) {
    const current = approval.status === 'approved' ? ((await expireUnusedApproval(gateway, approval.id)) ?? approval) : approval;
    const ending = endingBy(current);
    if (ending) return ending;
  }
  return undefined;
}

function endingBy(approval: Approval): Ending | undefined {
  const of = `The approval ${approval.id} of ${approval.integrationAlias ?? approval.integrationName}.${approval.actionName}`;
  const reason = approval.decisionReason ? ` Reason: ${approval.decisionReason}` : '';
  switch (approval.status) {
    case 'rejected':
      return approval.decidedByType === 'timeout'
        ? { status: 'rejected', error: { code: 'APPROVAL_REJECTED', message: `${of} was rejected because nobody decided in time.` } }
        : { status: 'rejected', error: { code: 'APPROVAL_REJECTED', message: `${of} was rejected by a reviewer.${reason}` } };
    case 'expired':
      return { status: 'expired', error: { code: 'APPROVAL_EXPIRED', message: `${of} expired before it was used.` } };
    case 'canceled':
      return { status: 'canceled', error: { code: 'APPROVAL_CANCELED', message: `${of} was canceled.${reason}` } };
    default:
      return undefined;
  }
}

async function finish(
  gateway: Gateway,
  run: CodeRun,
  status: CodeRunStatus,
  error: RunError | null,
  ran: { result?: PassResult; runningMs: number; passNumber?: number } = { runningMs: 0 },
): Promise<AdvancedCodeRun> {
  const { result, runningMs, passNumber } = ran;
  const kept: CodeRunResult = {
    output: result?.kind === 'returned' ? JSON.parse(result.value) : null,
    error,
    logs: result?.logs ?? [],
    timings: { totalExecuteMs: Math.round(run.runningMs + runningMs), sandboxMs: Math.round(result?.sandboxMs ?? 0) },
  };
  const finished = await finishRun(gateway.db, run.id, { status, result: kept, runningMs, passNumber });
  if (status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
  return finished && run.passNumber === 0
    ? { status, pendingApprovalIds: [], approvalIds: [], waitsUntil: null }
    : afterAll(gateway, run.id);
}

function errorOf(result: PassResult): RunError | null {
  return result.kind === 'threw' || result.kind === 'failed' ? result.error : null;
}

/** Where a run stands that somebody else has moved on. */
async function afterAll(gateway: Gateway, codeRunId: string): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  return standing(gateway, codeRunId, run?.status ?? 'canceled');
}

/** The approvals that a run goes by: those of its present plan, and the last one of each call. What was asked anew leaves the old one behind. */
export async function listStandingApprovals(gateway: Gateway, codeRunId: string): Promise<Approval[]> {
  const [approvals, plan] = await Promise.all([listRunApprovals(gateway.db, codeRunId), findPlan<RunPlan>(gateway.db, codeRunId)]);
  const lastOfCall = new Map(approvals.map(({ id, callNumber }) => [callNumber, id]));
  const planned = new Set(plan?.groups.map(({ approvalId }) => approvalId));
  return approvals.filter(({ id, callNumber }) => (callNumber === null ? planned.has(id) : lastOfCall.get(callNumber) === id));
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function standing(gateway: Gateway, codeRunId: string, status: CodeRunStatus): Promise<AdvancedCodeRun> {
  const approvals = await listStandingApprovals(gateway, codeRunId);
  const pending = approvals.filter((approval) => approval.status === 'pending');
  const receipts = await listReceipts(
    gateway.db,
    approvals.filter((approval) => approval.status === 'approved').map(({ id }) => id),
  );
  const ends = [...pending, ...receipts].map(({ expiresAt }) => expiresAt.getTime());
  return {
    status,
    pendingApprovalIds: pending.map(({ id }) => id),
    approvalIds: approvals.map(({ id }) => id),
    waitsUntil: status === 'waiting' ? Math.min(...ends, Date.now() + DAY_MS) : null,
  };
}
