import { type DueWork, isFinished, type RunState } from '../../domain/code-run.ts';
import { declinePass, returnToWaiting } from '../../store/code-run-transitions.ts';
import type { Gateway } from '../gateway.ts';
import { isDependencyUnavailable } from './code-run-errors.ts';
import { finishRun } from './finish-run.ts';
import { type LoadedRun, loadRun } from './load-run.ts';
import { readRunState, runState, ungatedState } from './run-state.ts';
import { findTerminalReason } from './terminal-reason.ts';

/**
 * Advances a run as far as possible without a pass. Returns the new state, or the work that is due
 * instead.
 */
export async function settleRun(gateway: Gateway, codeRunId: string): Promise<RunState | DueWork> {
  try {
    const loaded = await loadRun(gateway, codeRunId);
    if (!loaded) return ungatedState('canceled');
    if (isFinished(loaded.status)) return await readRunState(gateway, codeRunId, loaded.status);
    if (loaded.isLeased) return 'advance';
    return (await settleLoadedRun(gateway, loaded, { resume: false })) ?? (loaded.run.status === 'waiting' ? 'resume' : 'advance');
  } catch (error) {
    if (isDependencyUnavailable(error)) throw error;
    // `advanceRun` meets the same error and ends the run.
    return 'advance';
  }
}

/**
 * Like `settleRun`, for a loaded, unfinished run without a lease; undefined if a pass is due.
 * `resume`: a caller asked to resume the run.
 */
export async function settleLoadedRun(gateway: Gateway, loaded: LoadedRun, { resume }: { resume: boolean }): Promise<RunState | undefined> {
  const { run, approvals } = loaded;
  const reason = await findTerminalReason(gateway, approvals);
  if (reason) return finishRun(gateway, run, reason.status, reason.error);
  if (approvals.some(({ status }) => status === 'pending')) return keepWaiting(gateway, loaded);
  // A `running` run continues without a request: it is new, or the process of its pass died.
  if (run.status !== 'waiting' || resume || loaded.isAwaited) return undefined;
  await declinePass(gateway.db, run);
  return runState(run.status, approvals);
}

async function keepWaiting(gateway: Gateway, { run, approvals }: LoadedRun): Promise<RunState> {
  if (run.status === 'running') await returnToWaiting(gateway.db, run.id, run.passNumber);
  return runState('waiting', approvals);
}
