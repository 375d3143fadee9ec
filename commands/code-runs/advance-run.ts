import { type ActiveRun, isFinished, type RunState } from '../../domain/code-run.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { findRunStatus } from '../../store/code-runs.ts';
import { PassReplacedError } from '../../store/fence.ts';
import type { Gateway } from '../gateway.ts';
import { isDependencyUnavailable } from './code-run-errors.ts';
import { finishRun } from './finish-run.ts';
import { type LoadedRun, loadRun } from './load-run.ts';
import { executePass } from './pass/execute-pass.ts';
import { preparePass } from './plan/prepare-pass.ts';
import { readRunState, ungatedState } from './run-state.ts';
import { settleLoadedRun } from './settle-run.ts';

export interface AdvanceRun extends Omit<Transition, 'isEager'> {
  codeRunId: string;
  cancel: boolean;
}

/** The way in which a run may be advanced. */
export interface Transition {
  /**
   * True if a caller asked to resume the run. If false, a paused run continues only if a caller
   * waits for it (`isAwaited`).
   */
  resume: boolean;
  /**
   * True if a pass (an execution of the code) may begin now. If false, a due pass throws
   * PassDueError.
   */
  mayPass: boolean;
  /** True if the pass begins before the Temporal task of the run arrives. */
  isEager: boolean;
  signal: AbortSignal;
}

/** A pass is due but may not begin yet. */
export class PassDueError extends Error {
  override name = 'PassDueError';
}

/** An eager pass of the run is under way. */
export class RunLeasedError extends Error {
  override name = 'RunLeasedError';
}

/**
 * Advances a run as far as possible now, and returns the new state. Can be called again at any
 * time. Throws PassDueError and RunLeasedError.
 */
export async function advanceRun(gateway: Gateway, sandbox: Sandbox, { codeRunId, cancel, ...transition }: AdvanceRun): Promise<RunState> {
  const loaded = await loadRun(gateway, codeRunId);
  if (!loaded) return ungatedState('canceled');
  if (isFinished(loaded.status)) return readRunState(gateway, codeRunId, loaded.status);
  if (cancel) return finishRun(gateway, loaded.run, 'canceled', { code: 'CODE_RUN_CANCELED', message: 'The run was canceled.' });
  return advanceLoadedRun(gateway, sandbox, loaded, { ...transition, isEager: false });
}

/** Like `advanceRun`, for an unfinished run that was just loaded. */
export async function advanceLoadedRun(gateway: Gateway, sandbox: Sandbox, loaded: LoadedRun, transition: Transition): Promise<RunState> {
  const { run } = loaded;
  try {
    if (loaded.isLeased) throw new RunLeasedError('an eager pass is under way');
    const settled = await settleLoadedRun(gateway, loaded, transition);
    if (settled) return settled;

    const prepared = await preparePass(gateway, loaded);
    if (prepared === 'gated') return await readRunState(gateway, run.id, 'waiting');
    if (!transition.mayPass) throw new PassDueError('a pass is due');
    return await executePass(gateway, sandbox, { ...prepared, run, ...transition });
  } catch (error) {
    if (error instanceof PassReplacedError) return stateAfterOthers(gateway, run);
    if (transition.signal.aborted || isDependencyUnavailable(error) || error instanceof PassDueError || error instanceof RunLeasedError)
      throw error;
    gateway.logger.error({ codeRunId: run.id, err: error }, 'code run failed: internal error');
    return finishRun(gateway, run, 'failed', {
      code: 'CODE_RUN_FAILED',
      message: 'The run failed because of an internal error. It is not retried.',
    });
  }
}

async function stateAfterOthers(gateway: Gateway, { id }: ActiveRun): Promise<RunState> {
  const found = await findRunStatus(gateway.db, id);
  if (found?.isLeased) throw new RunLeasedError('an eager pass is under way');
  return readRunState(gateway, id, found?.status ?? 'canceled');
}
