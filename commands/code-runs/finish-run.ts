import type { ActiveRun, CodeRunResult, CodeRunStatus, LogLine, PassRecord, RunError, RunState } from '../../domain/code-run.ts';
import type { PassResult } from '../../sandbox/host/pass.ts';
import { type RunEnd, recordRunEnd, recordStoppedPass } from '../../store/code-run-transitions.ts';
import { findRunStatus } from '../../store/code-runs.ts';
import { withdrawApprovals } from '../approvals/withdraw-pending.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled } from '../outbox/notify-orchestrator.ts';
import { readRunState, ungatedState } from './run-state.ts';

/** A pass that has stopped, with its result and its log. */
export interface EndedPass {
  result: PassResult | undefined;
  logs: readonly LogLine[];
  runningMs: number;
  passNumber: number;
}

/**
 * Ends a run. Cancels its pending approvals unless `status` is `executed`. Returns the stored
 * state, also if another process ended or advanced the run first.
 */
export async function finishRun(
  gateway: Gateway,
  run: ActiveRun,
  status: CodeRunStatus,
  error: RunError | null,
  pass?: EndedPass,
): Promise<RunState> {
  const { runningMs = 0, passNumber } = pass ?? {};
  const end: RunEnd = { status, result: runResult(run, error, pass), runningMs, passNumber };
  const isFinished = status === 'executed' ? await recordRunEnd(gateway.db, run.id, end) : await endWithApprovals(gateway, run, end);
  if (!isFinished && pass) await recordStoppedPass(gateway.db, run.id, passRecord(run, pass), pass.runningMs);
  if (!isFinished) return readRunState(gateway, run.id, (await findRunStatus(gateway.db, run.id))?.status ?? 'canceled');
  const wasAlwaysUngated = run.passNumber === 0 && run.toolSurfaceHash === null;
  return wasAlwaysUngated ? ungatedState(status) : readRunState(gateway, run.id, status);
}

/**
 * Ends the run, then cancels its approvals. A request for approval locks the run, so a later
 * request finds the run ended.
 */
async function endWithApprovals(gateway: Gateway, { id: codeRunId, orgId }: ActiveRun, end: RunEnd): Promise<boolean> {
  const { isFinished, canceled } = await gateway.db.transaction(async (tx) => {
    const isFinished = await recordRunEnd(tx, codeRunId, end);
    return { isFinished, canceled: isFinished ? await withdrawApprovals(gateway, tx, { orgId, codeRunId }, REASON) : [] };
  });
  // The workflow of the run needs no signal: the run has ended.
  await Promise.all(canceled.map((approval) => signalSettled(gateway, { ...approval, codeRunId: null })));
  return isFinished;
}

const REASON = 'The code run that requested this approval has ended.';

/** The part of a pass that is stored if the pass does not end its run. */
export function passRecord(run: ActiveRun, pass: EndedPass): PassRecord {
  return { passNumber: pass.passNumber, logs: logsOf(run, pass), sandboxMs: Math.round(pass.result?.sandboxMs ?? 0) };
}

function runResult(run: ActiveRun, error: RunError | null, pass: EndedPass | undefined): CodeRunResult {
  const { result, runningMs = 0 } = pass ?? {};
  return {
    output: result?.kind === 'returned' ? JSON.parse(result.value) : null,
    ...(result?.kind === 'returned' && result.isNothing && { returnedNothing: true }),
    error,
    logs: logsOf(run, pass),
    timings: {
      totalExecuteMs: Math.round(run.runningMs + runningMs),
      sandboxMs: Math.round(result?.sandboxMs ?? run.lastPass?.sandboxMs ?? 0),
    },
  };
}

/**
 * Each pass writes the log from the beginning. After an early interruption, the log of the previous
 * pass has more lines.
 */
function logsOf({ lastPass }: ActiveRun, pass: EndedPass | undefined): LogLine[] {
  const [before, now] = [lastPass?.logs ?? [], pass?.logs ?? []];
  return [...(now.length < before.length ? before : now)];
}
