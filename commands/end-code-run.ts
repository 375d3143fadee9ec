import type { CodeRun, CodeRunResult, CodeRunStatus, LogLine, PassRecord, RunError } from '../domain/code-run.ts';
import type { PassResult } from '../sandbox/pass.ts';
import { finishRun, keepStoppedPass } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import { listReceipts } from '../store/receipts.ts';
import { cancelApprovalsOfRun } from './cancel-approvals-of-run.ts';
import type { Gateway } from './gateway.ts';
import { listStandingApprovals } from './standing-approvals.ts';

/** Where a run stands, for its workflow. */
export interface AdvancedCodeRun {
  status: CodeRunStatus;
  pendingApprovalIds: string[];
  approvalIds: string[];
  /** Epoch milliseconds at which waiting ends by itself. */
  waitsUntil: number | null;
}

/** What a pass made that ended here. */
export interface MadePass {
  result: PassResult | undefined;
  logs: readonly LogLine[];
  runningMs: number;
  passNumber: number;
}

/** Ends a run, by a pass or without one, unless it has ended already; answers where it stands then. */
export async function endCodeRun(
  gateway: Gateway,
  run: CodeRun,
  status: CodeRunStatus,
  error: RunError | null,
  made?: MadePass,
): Promise<AdvancedCodeRun> {
  const { result, runningMs = 0, passNumber } = made ?? {};
  const kept: CodeRunResult = {
    output: result?.kind === 'returned' ? JSON.parse(result.value) : null,
    ...(result?.kind === 'returned' && result.isNothing && { returnedNothing: true }),
    error,
    logs: logsOf(run, made),
    timings: {
      totalExecuteMs: Math.round(run.runningMs + runningMs),
      sandboxMs: Math.round(result?.sandboxMs ?? run.lastPass?.sandboxMs ?? 0),
    },
  };
  const finished = await finishRun(gateway.db, run.id, { status, result: kept, runningMs, passNumber });
  if (!finished && made) await keepStoppedPass(gateway.db, run.id, passRecord(run, made), made.runningMs);
  if (status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
  return finished && run.passNumber === 0 ? standingAlone(status) : whereItStands(gateway, run.id);
}

/** What is kept of a pass that does not end its run. */
export function passRecord(run: CodeRun, made: MadePass): PassRecord {
  return { passNumber: made.passNumber, logs: logsOf(run, made), sandboxMs: Math.round(made.result?.sandboxMs ?? 0) };
}

/** A pass writes again what those before it wrote; one that broke off early, or none, less than that. */
function logsOf({ lastPass }: CodeRun, made: MadePass | undefined): LogLine[] {
  const [before, now] = [lastPass?.logs ?? [], made?.logs ?? []];
  return [...(now.length < before.length ? before : now)];
}

/** Of a run that asks, or has asked, nobody. */
export function standingAlone(status: CodeRunStatus): AdvancedCodeRun {
  return { status, pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
}

/** Where a run stands that somebody else may have moved on. */
export async function whereItStands(gateway: Gateway, codeRunId: string): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  return standing(gateway, codeRunId, run?.status ?? 'canceled');
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whom a run of this status waits for, and until when. */
export async function standing(gateway: Gateway, codeRunId: string, status: CodeRunStatus): Promise<AdvancedCodeRun> {
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
