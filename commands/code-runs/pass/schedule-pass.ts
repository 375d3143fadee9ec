import type { RunState } from '../../../domain/code-run.ts';
import { NoSlotError } from '../../../infra/concurrency/fair-scheduler.ts';
import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { RUN_CHANGED } from '../../../store/code-run-transitions.ts';
import { findRunStatus } from '../../../store/code-runs.ts';
import type { Gateway } from '../../gateway.ts';
import { type AdvanceRun, advanceRun, PassDueError, RunLeasedError } from '../advance-run.ts';

/**
 * No slot for a pass became free in time, or another worker executes a pass of the run. Any worker
 * can then take the workflow task.
 */
export class PassNotScheduledError extends Error {
  override name = 'PassNotScheduledError';
}

export interface ScheduledPass extends Omit<AdvanceRun, 'mayPass'> {
  orgId: string;
  /** Time of the request, in epoch milliseconds. Passes of one organization start in this order. */
  askedAt: number;
  /** Maximum time in ms that this worker queues the run. */
  patienceMs: number;
}

/**
 * Advances a run and returns its state. A due pass waits in a queue that is fair between
 * organizations. Throws PassNotScheduledError.
 */
export async function schedulePass(gateway: Gateway, sandbox: Sandbox, request: ScheduledPass): Promise<RunState> {
  for (;;) {
    try {
      const state = await advanceOrQueue(gateway, sandbox, request);
      // Another worker executes a pass without a lease. The task is tried again until that pass
      // ends or its heartbeat stops.
      if (state.status === 'running') throw new PassNotScheduledError('another worker executes a pass');
      return state;
    } catch (error) {
      if (!(error instanceof RunLeasedError)) throw error;
      await leaseEnded(gateway, request.codeRunId, request.signal);
    }
  }
}

async function advanceOrQueue(
  gateway: Gateway,
  sandbox: Sandbox,
  { orgId, askedAt, patienceMs, ...request }: ScheduledPass,
): Promise<RunState> {
  const { passes } = gateway.schedulers;
  const advance = (mayPass: boolean) => advanceRun(gateway, sandbox, { ...request, mayPass });
  if (request.cancel) return advance(false);
  const job = { tenantId: orgId, enqueuedAt: askedAt };
  try {
    return await passes.tryRun(job, () => advance(true));
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
  }
  try {
    return await advance(false);
  } catch (error) {
    if (!(error instanceof PassDueError)) throw error;
  }
  const patience = AbortSignal.timeout(patienceMs);
  try {
    return await passes.run({ ...job, signal: AbortSignal.any([request.signal, patience]) }, () => advance(true));
  } catch (error) {
    throw error === patience.reason ? new PassNotScheduledError('no slot became free') : error;
  }
}

/** Poll interval in ms, in case a notification is lost or the lease expires. */
const POLL_MS = 2500;

async function leaseEnded({ db, notices }: Gateway, codeRunId: string, signal: AbortSignal): Promise<void> {
  const check = async () => (signal.aborted || !(await findRunStatus(db, codeRunId))?.isLeased ? true : undefined);
  while (!(await notices.waitFor(RUN_CHANGED, codeRunId, POLL_MS, check))) {}
  signal.throwIfAborted();
}
