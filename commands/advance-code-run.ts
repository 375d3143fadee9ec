import { type CodeRun, type CodeRunResult, type CodeRunStatus, isFinished, type LogLine, type RunError } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { PassResult } from '../sandbox/pass.ts';
import { beginPass, finishRun, holdRun, keepStoppedPass, pauseRun } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/fence.ts';
import { listReceipts } from '../store/receipts.ts';
import { cancelApprovalsOfRun } from './cancel-approvals-of-run.ts';
import { isPartAway, RunFailure } from './code-run-errors.ts';
import { endingOf } from './ending-of-run.ts';
import type { Gateway } from './gateway.ts';
import { hashCode, planCodeRun, type RunPlan } from './plan-code-run.ts';
import { type NewPass, runPass } from './run-pass.ts';
import { listStandingApprovals, readStanding } from './standing-approvals.ts';
import type { Surface } from './surface-cache.ts';

export interface AdvanceCodeRun {
  codeRunId: string;
  /** The caller asks the run to go on; without, and with nobody who waits for it, only endings are noticed. */
  resume: boolean;
  cancel: boolean;
  /** It is the run's turn to have a process; without, PassAwaitedError is thrown where a pass would begin. */
  mayPass: boolean;
  signal: AbortSignal;
}

/** Thrown where a run would begin a pass and it is not its turn. */
export class PassAwaitedError extends Error {
  override name = 'PassAwaitedError';
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
  { codeRunId, resume, cancel, mayPass, signal }: AdvanceCodeRun,
): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) return { status: 'canceled', pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
  if (isFinished(run.status)) {
    if (run.status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
    return standing(gateway, run.id, run.status);
  }
  if (cancel) return finish(gateway, run, 'canceled', { code: 'CODE_RUN_CANCELED', message: 'The run was canceled.' });
  try {
    if (run.toolSurfaceHash === null) return await nextPass(gateway, sandbox, run, { kept: undefined, mayPass, signal });
    const { approvals, plan } = await readStanding(gateway, run.id);
    const ending = await endingOf(gateway, approvals);
    if (ending) return await finish(gateway, run, ending.status, ending.error);
    if (approvals.some(({ status }) => status === 'pending')) return await hold(gateway, run);
    return resume || run.isAwaited
      ? await nextPass(gateway, sandbox, run, { kept: plan, mayPass, signal })
      : await standing(gateway, run.id, run.status);
  } catch (error) {
    if (error instanceof PassReplacedError) return afterAll(gateway, run.id);
    if (signal.aborted || isPartAway(error) || error instanceof PassAwaitedError) throw error;
    gateway.logger.error({ codeRunId, err: error }, 'a code run failed on our side');
    return finish(gateway, run, 'failed', {
      code: 'CODE_RUN_FAILED',
      message: 'The run failed on the side of the service. It is not tried again.',
    });
  }
}

type Turn = Pick<AdvanceCodeRun, 'mayPass' | 'signal'> & { kept: RunPlan | undefined };

/** The plan holds while what it rests on has not changed; a difference asks again (design: gates and durable code runs). */
async function nextPass(gateway: Gateway, sandbox: Sandbox, stored: CodeRun, { kept, mayPass, signal }: Turn): Promise<AdvancedCodeRun> {
  const surface = await surfaceOf(gateway, stored);
  const run = { ...stored, codeHash: hashCode(stored.code) };
  const holds = kept && (kept.codeHash ?? stored.codeHash) === run.codeHash && kept.toolSurfaceHash === surface.hashOf(kept.surface);
  const plan = holds ? kept : await planCodeRun(gateway, run, surface);
  if (!holds && plan.groups.length > 0) return standing(gateway, run.id, 'waiting');
  if (!mayPass) throw new PassAwaitedError('not its turn');
  return pass(gateway, sandbox, { plan, surface, signal, run });
}

function surfaceOf(gateway: Gateway, { mcpServerId, orgId, workspaceId }: CodeRun): Promise<Surface> {
  return gateway.surfaces.of({ serverId: mcpServerId, orgId, workspaceId });
}

type Given = Omit<NewPass, 'timeMs' | 'onLogs'> & { plan: RunPlan };

async function pass(gateway: Gateway, sandbox: Sandbox, given: Given): Promise<AdvancedCodeRun> {
  const { run } = given;
  const startedAt = performance.now();
  const runningMs = () => performance.now() - startedAt;
  const { limitSeconds } = gateway.config.code;
  const timeMs = limitSeconds * 1000 - run.runningMs;
  const begun = beginPass(gateway.db, run.id, given.plan);
  if (timeMs <= 0) {
    await begun;
    return finish(gateway, run, 'failed', { code: 'CODE_TIMEOUT', message: `The code ran longer than ${limitSeconds} seconds` });
  }
  let logs: readonly LogLine[] = [];
  const onLogs = (lines: readonly LogLine[]) => {
    logs = lines;
  };
  let result: PassResult | undefined;
  const made = async () => ({ result, logs, runningMs: runningMs() - (result?.readMs ?? 0), passNumber: await begun });
  try {
    result = await runPass(gateway, sandbox, { ...given, timeMs, onLogs }, begun);
    if (given.signal.aborted) throw given.signal.reason;
    if (result.kind === 'paused') return await pause(gateway, run, await made());
    return await finish(gateway, run, result.kind === 'returned' ? 'executed' : 'failed', errorOf(result), await made());
  } catch (error) {
    if (error instanceof PassReplacedError) await keep(gateway, run, await made(), keepStoppedPass);
    if (!(error instanceof RunFailure)) throw error;
    return finish(gateway, run, 'failed', { code: error.code, message: error.message }, await made());
  }
}

/** One that was canceled at that very moment has the log all the same. */
async function pause(gateway: Gateway, run: CodeRun, made: MadePass): Promise<AdvancedCodeRun> {
  const isPaused = await keep(gateway, run, made, pauseRun);
  if (!isPaused) await keep(gateway, run, made, keepStoppedPass);
  return standing(gateway, run.id, 'waiting');
}

async function hold(gateway: Gateway, { id, passNumber }: CodeRun): Promise<AdvancedCodeRun> {
  await holdRun(gateway.db, id, passNumber);
  return standing(gateway, id, 'waiting');
}

/** What a pass made that ended here. */
interface MadePass {
  result: PassResult | undefined;
  logs: readonly LogLine[];
  runningMs: number;
  passNumber: number;
}

/** Writes down, with one of the two moves, what a pass leaves that does not end its run. */
function keep({ db }: Gateway, run: CodeRun, made: MadePass, move: typeof pauseRun | typeof keepStoppedPass): Promise<boolean> {
  const sandboxMs = Math.round(made.result?.sandboxMs ?? 0);
  return move(db, run.id, { passNumber: made.passNumber, logs: logsOf(run, made), sandboxMs }, made.runningMs);
}

/** A pass writes again what those before it wrote; one that broke off early, or none, less than that. */
function logsOf({ lastPass }: CodeRun, made: MadePass | undefined): LogLine[] {
  const [before, now] = [lastPass?.logs ?? [], made?.logs ?? []];
  return [...(now.length < before.length ? before : now)];
}

async function finish(
  gateway: Gateway,
  run: CodeRun,
  status: CodeRunStatus,
  error: RunError | null,
  made?: MadePass,
): Promise<AdvancedCodeRun> {
  const { result, runningMs = 0, passNumber } = made ?? {};
  const kept: CodeRunResult = {
    output: result?.kind === 'returned' ? JSON.parse(result.value) : null,
    error,
    logs: logsOf(run, made),
    timings: {
      totalExecuteMs: Math.round(run.runningMs + runningMs),
      sandboxMs: Math.round(result?.sandboxMs ?? run.lastPass?.sandboxMs ?? 0),
    },
  };
  const finished = await finishRun(gateway.db, run.id, { status, result: kept, runningMs, passNumber });
  if (!finished && made) await keep(gateway, run, made, keepStoppedPass);
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
