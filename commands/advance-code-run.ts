import type { Approval } from '../domain/approval.ts';
import { type CodeRun, type CodeRunResult, type CodeRunStatus, isFinished, type RunError } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassResult } from '../sandbox/pass.ts';
import { expireUnusedApproval, listRunApprovals } from '../store/approvals.ts';
import { beginPass, findCodeRun, findPlan, finishRun, pauseRun } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/journal.ts';
import { listReceipts } from '../store/receipts.ts';
import { RunFailure } from './code-run-errors.ts';
import type { Gateway } from './gateway.ts';
import { planCodeRun, type RunPlan } from './plan-code-run.ts';
import { runPass } from './run-pass.ts';

export interface AdvanceCodeRun {
  codeRunId: string;
  /** The caller asks the run to go on; without, only endings are noticed. */
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
  if (isFinished(run.status)) return standing(gateway, run.id, run.status);

  const end = await endingOf(gateway, run, cancel);
  if (end) return finish(gateway, run, end.status, end.error);

  const asked = await listStandingApprovals(gateway, run.id);
  if (!resume || asked.some((approval) => approval.status === 'pending')) return standing(gateway, run.id, run.status);
  return pass(gateway, sandbox, run, signal);
}

async function pass(gateway: Gateway, sandbox: Sandbox, run: CodeRun, signal: AbortSignal): Promise<AdvancedCodeRun> {
  const startedAt = performance.now();
  const runningMs = () => performance.now() - startedAt;
  const passNumber = await beginPass(gateway.db, run.id);
  if (passNumber === undefined) return advanceEnded(gateway, run.id);

  const surface = await gateway.surfaces.of({ serverId: run.mcpServerId, orgId: run.orgId, workspaceId: run.workspaceId });
  const { plan, waits } = await planOf(gateway, run, surface);
  if (waits) {
    await pauseRun(gateway.db, run.id, { passNumber, runningMs: runningMs() });
    return standing(gateway, run.id, 'waiting');
  }

  const timeMs = gateway.config.code.limitSeconds * 1000 - run.runningMs;
  if (timeMs <= 0)
    return finish(gateway, run, 'failed', {
      code: 'CODE_TIMEOUT',
      message: `The code ran longer than ${gateway.config.code.limitSeconds} seconds`,
    });
  try {
    const approvals = await listRunApprovals(gateway.db, run.id);
    const result = await runPass(gateway, sandbox, { run, passNumber, plan, approvals, surface, timeMs, signal });
    if (signal.aborted) throw signal.reason;
    if (result.kind === 'paused') {
      await pauseRun(gateway.db, run.id, { passNumber, runningMs: runningMs() });
      return standing(gateway, run.id, 'waiting');
    }
    return finish(gateway, run, result.kind === 'returned' ? 'executed' : 'failed', errorOf(result), { result, runningMs: runningMs() });
  } catch (error) {
    if (error instanceof PassReplacedError) return advanceEnded(gateway, run.id);
    if (!(error instanceof RunFailure)) throw error;
    return finish(gateway, run, 'failed', { code: error.code, message: error.message }, { runningMs: runningMs() });
  }
}

/** The plan of a run, made at its first pass and again when what it rests on has changed since (design: a difference asks again). */
async function planOf(
  gateway: Gateway,
  run: CodeRun,
  surface: Awaited<ReturnType<Gateway['surfaces']['of']>>,
): Promise<{ plan: RunPlan; waits: boolean }> {
  const kept = await findPlan<RunPlan>(gateway.db, run.id);
  if (kept && kept.toolSurfaceHash === surface.hashOf(kept.surface)) return { plan: kept, waits: false };
  const plan = await planCodeRun(gateway, run, surface);
  return { plan, waits: plan.groups.length > 0 };
}

type Ending = { status: CodeRunStatus; error: RunError };

/** Why a run can't go on: it was canceled, a person said no, or a permission ran out. */
async function endingOf(gateway: Gateway, run: CodeRun, cancel: boolean): Promise<Ending | undefined> {
  if (cancel) return { status: 'canceled', error: { code: 'CODE_RUN_CANCELED', message: 'The run was canceled.' } };
  for (const approval of await listStandingApprovals(gateway, run.id)) {
    const current = approval.status === 'approved' ? ((await expireUnusedApproval(gateway.db, approval.id)) ?? approval) : approval;
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
  ran: { result?: PassResult; runningMs: number } = { runningMs: 0 },
): Promise<AdvancedCodeRun> {
  const { result, runningMs } = ran;
  const kept: CodeRunResult = {
    output: result?.kind === 'returned' ? JSON.parse(result.value) : null,
    error,
    logs: result?.logs ?? [],
    timings: { totalExecuteMs: Math.round(run.runningMs + runningMs), sandboxMs: Math.round(result?.sandboxMs ?? 0) },
  };
  await finishRun(gateway.db, run.id, { status, result: kept, runningMs });
  return advanceEnded(gateway, run.id);
}

function errorOf(result: PassResult): RunError | null {
  return result.kind === 'threw' || result.kind === 'failed' ? result.error : null;
}

async function advanceEnded(gateway: Gateway, codeRunId: string): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  return standing(gateway, codeRunId, run?.status ?? 'canceled');
}

/** The approvals that a run goes by: those of its calls and of its present plan. A plan that was made anew leaves the old ones behind. */
export async function listStandingApprovals(gateway: Gateway, codeRunId: string): Promise<Approval[]> {
  const [approvals, plan] = await Promise.all([listRunApprovals(gateway.db, codeRunId), findPlan<RunPlan>(gateway.db, codeRunId)]);
  return approvals.filter(({ id, callNumber }) => callNumber !== null || plan?.groups.some((group) => group.approvalId === id));
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
