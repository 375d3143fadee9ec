import type { ActiveRun, CodeRunResult, CodeRunStatus, LogLine, PassRecord, RunError, RunState } from '../../domain/code-run.ts';
import type { PassResult } from '../../sandbox/host/pass.ts';
import { recordRunEnd, recordStoppedPass } from '../../store/code-run-transitions.ts';
import { findRunStatus } from '../../store/code-runs.ts';
import { cancelApprovalsOfRun } from '../approvals/cancel-approvals-of-run.ts';
import type { Gateway } from '../gateway.ts';
import { readRunState, ungatedState } from './run-state.ts';

/** A pass that has stopped, and what it leaves. */
export interface EndedPass {
  result: PassResult | undefined;
  logs: readonly LogLine[];
  runningMs: number;
  passNumber: number;
}

/**
 * Ends a run once, by a pass or without one. Returns its state then, which may be the work of
 * another process.
 */
export async function finishRun(
  gateway: Gateway,
  run: ActiveRun,
  status: CodeRunStatus,
  error: RunError | null,
  pass?: EndedPass,
): Promise<RunState> {
  const { runningMs = 0, passNumber } = pass ?? {};
  const isFinished = await recordRunEnd(gateway.db, run.id, { status, result: runResult(run, error, pass), runningMs, passNumber });
  if (!isFinished && pass) await recordStoppedPass(gateway.db, run.id, passRecord(run, pass), pass.runningMs);
  if (status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
  if (!isFinished) return readRunState(gateway, run.id, (await findRunStatus(gateway.db, run.id))?.status ?? 'canceled');
  const wasAlwaysUngated = run.passNumber === 0 && run.toolSurfaceHash === null;
  return wasAlwaysUngated ? ungatedState(status) : readRunState(gateway, run.id, status);
}

/** The stored part of a pass that does not end its run. */
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
 * A pass repeats the log of the passes before it. One that broke off early has fewer lines than
 * they had.
 */
function logsOf({ lastPass }: ActiveRun, pass: EndedPass | undefined): LogLine[] {
  const [before, now] = [lastPass?.logs ?? [], pass?.logs ?? []];
  return [...(now.length < before.length ? before : now)];
}
