import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../domain/approval.ts';
import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { RUN_CHANGED } from '../../store/code-run-transitions.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import { insertResumed, RUN_APPROVAL_SETTLED } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';
import { signalResumedSoon } from '../outbox/notify-orchestrator.ts';
import { findCurrentApprovals } from './current-approvals.ts';
import { recoverCodeRun } from './recover-code-run.ts';

/**
 * If a resumed run sends no notification for this time in ms, its workflow is asked to continue the
 * run.
 */
const SILENT_MS = 1000;

/** Poll interval in ms, in case a notification is lost. */
const RECHECK_MS = 1000;

interface Awaited {
  /** The number of the last pass that the caller knows. */
  passBefore: number;
  timeoutMs?: number;
  /** Starts the run. Called when this process has begun to listen for notifications. */
  begin?: () => Promise<void>;
  /** Ends the wait without a result. */
  signal?: AbortSignal;
}

/**
 * Waits until the run has ended, or waits for approval after a later pass than `passBefore`.
 * Returns undefined after `timeoutMs`, by default one second.
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

/** Reads a run that its caller knows. Throws APPROVAL_NOT_FOUND if the run was deleted. */
export async function readRun(gateway: Gateway, codeRunId: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) throw new GatewayError('APPROVAL_NOT_FOUND', 'The run is gone.');
  return run;
}

/**
 * True if a run can continue or end: no approval is pending, or one is rejected, canceled or
 * expired. Waits up to `waitSeconds` for the decisions.
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

/** Resumes a run that can continue. Waits until the run pauses again or ends. */
export async function resumeRun(gateway: Gateway, codeRunId: string): Promise<void> {
  const askToContinue = () => gateway.notices.unlessLost(gateway.orchestrator.continueCodeRun(codeRunId));
  if (await askToContinue()) return;
  if (await recoverCodeRun(gateway, codeRunId)) await askToContinue();
}

/**
 * Resumes a run whose approvals are decided. Returns undefined if the caller must read the run.
 * `approval` is any approval of the run.
 */
export async function resumeEagerly(gateway: Gateway, run: CodeRun, approval: Approval): Promise<CodeRun | undefined> {
  const { id, passNumber } = run;
  const workflow = await gateway.orchestrator.findRunWorkflow(id);
  // The workflow may be lost, or an operator may have stopped it.
  if (workflow.state !== 'open') {
    await resumeRun(gateway, id);
    return undefined;
  }
  const resumed = { approvalId: approval.id, codeRunId: id, passNumber };
  if (await insertResumed(gateway.db, resumed, SILENT_MS / 1000)) signalResumedSoon(gateway, resumed);
  return (await awaitTransition(gateway, id, { passBefore: passNumber })) ?? resumeSilentRun(gateway, id, passNumber);
}

/** Maximum time in ms that one run blocks the queue of silent runs. */
const SLOT_MS = 2000;

/**
 * Like `resumeRun`, for a run that sends no notification although its approvals are decided.
 * Returns the run if a notification comes after all; otherwise undefined.
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
    resumed.catch(() => {}); // the run may have sent its notification first
    changed.catch(() => {});
  }
}

/** Time for the queue, and for a restart of the worker. */
const SLACK_MS = 60_000;

/** The maximum time in ms that a run can take until it pauses or ends. */
export function longestMs({ config }: Pick<Gateway, 'config'>): number {
  return config.code.limitSeconds * 1000 + SLACK_MS;
}
