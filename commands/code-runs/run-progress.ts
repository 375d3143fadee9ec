import { setTimeout as delay } from 'node:timers/promises';
import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { RUN_CHANGED } from '../../store/code-run-transitions.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import { RUN_APPROVAL_SETTLED } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';
import { findCurrentApprovals } from './current-approvals.ts';
import { recoverCodeRun } from './recover-code-run.ts';

/** How long an awaited run may send no notification before its workflow is asked. */
const SILENT_MS = 1000;

/** Poll interval of waiters, in case a notification is lost. They share the statement. */
const RECHECK_MS = 1000;

interface Awaited {
  /** The last pass that the caller knows. */
  passBefore: number;
  timeoutMs?: number;
  /** Starts the run, once this process listens. */
  begin?: () => Promise<void>;
  /** Ends the wait without a run. */
  signal?: AbortSignal;
}

/**
 * The run as soon as it has ended or met a gate after this pass; undefined if that takes too long,
 * by default a second.
 */
export async function awaitTransition(
  { notices, runReader }: Pick<Gateway, 'notices' | 'runReader'>,
  codeRunId: string,
  { passBefore, timeoutMs = SILENT_MS, begin, signal }: Awaited,
): Promise<CodeRun | undefined> {
  const check = async () => (signal?.aborted ? null : runReader.changed({ id: codeRunId, passBefore }));
  const found = await notices.waitFor(RUN_CHANGED, codeRunId, timeoutMs, check, { begin, recheckMs: RECHECK_MS });
  return found ?? undefined;
}

/** A run that its caller knows. Throws APPROVAL_NOT_FOUND once it is deleted. */
export async function readRun(gateway: Gateway, codeRunId: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) throw new GatewayError('APPROVAL_NOT_FOUND', 'The run is gone.');
  return run;
}

/**
 * Whether the approvals of a run are decided, so that it can continue or end. Waits up to
 * `waitSeconds` for the decision. Does not ask the workflow.
 */
export async function isDecided(gateway: Gateway, codeRunId: string, waitSeconds: number): Promise<boolean> {
  const check = async () => {
    const statuses = (await findCurrentApprovals(gateway, codeRunId)).map(({ status }) => status);
    const isRefused = statuses.some((status) => status === 'rejected' || status === 'expired' || status === 'canceled');
    return isRefused || !statuses.includes('pending') || undefined;
  };
  const decided =
    waitSeconds === 0 ? await check() : await gateway.notices.waitFor(RUN_APPROVAL_SETTLED, codeRunId, waitSeconds * 1000, check);
  return decided ?? false;
}

/**
 * Resumes a run that can continue, and waits for its next gate or its end. Starts its workflow
 * again if that is lost.
 */
export async function resumeRun(gateway: Gateway, codeRunId: string): Promise<void> {
  const askToContinue = () => gateway.notices.unlessLost(gateway.orchestrator.continueCodeRun(codeRunId));
  if (await askToContinue()) return;
  if (await recoverCodeRun(gateway, codeRunId)) await askToContinue();
}

/** A request holds its slot for at most this time, so that a long pass delays no other waiter. */
const SLOT_MS = 2000;

/**
 * Like `resumeRun`, for a run without a notification although its approvals are decided. Requests
 * for such runs wait in a queue, in which most runs answer before their turn. Returns the run if it
 * was notified of its change, else undefined.
 */
export async function resumeSilentRun(gateway: Gateway, codeRunId: string, passBefore: number): Promise<CodeRun | undefined> {
  const over = new AbortController();
  const timeoutMs = longestMs(gateway);
  const changed = awaitTransition(gateway, codeRunId, { passBefore, timeoutMs, signal: over.signal });
  const { promise: resumed, resolve, reject } = Promise.withResolvers<undefined>();
  const ask = async () => {
    if (over.signal.aborted) return;
    const asked = resumeRun(gateway, codeRunId).then(() => resolve(undefined), reject);
    await Promise.race([asked, changed, delay(SLOT_MS, undefined, { ref: false })]);
  };
  void gateway.schedulers.silentRuns(ask).catch(reject);
  try {
    return await Promise.race([changed, resumed]);
  } finally {
    over.abort();
    resumed.catch(() => {}); // the run may have answered first
    changed.catch(() => {});
  }
}

/** Time beyond the running time, for a queue and for a worker that restarts. */
const SLACK_MS = 60_000;

/** The longest time that a run may take to its next gate or its end. */
export function longestMs({ config }: Pick<Gateway, 'config'>): number {
  return config.code.limitSeconds * 1000 + SLACK_MS;
}
