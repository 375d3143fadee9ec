import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { RUN_CHANGED } from '../../store/code-run-transitions.ts';
import { findChangedRun, findCodeRun } from '../../store/code-runs.ts';
import { RUN_APPROVAL_SETTLED } from '../../store/outbox.ts';
import type { Gateway } from '../gateway.ts';
import { findCurrentApprovals } from './current-approvals.ts';
import { recoverCodeRun } from './recover-code-run.ts';

/** How long to wait for a notification of an awaited run before its workflow is asked. */
const EAGER_MS = 1000;

/**
 * The run as soon as it has ended or met a gate after this pass; undefined if that takes too long.
 */
export function awaitTransition(gateway: Gateway, codeRunId: string, passBefore: number): Promise<CodeRun | undefined> {
  return gateway.notices.waitFor(RUN_CHANGED, codeRunId, EAGER_MS, () => findChangedRun(gateway.db, codeRunId, passBefore));
}

/** A run that its caller knows. Throws APPROVAL_NOT_FOUND once it is deleted. */
export async function readRun(gateway: Gateway, codeRunId: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) throw new GatewayError('APPROVAL_NOT_FOUND', 'The run is gone.');
  return run;
}

/**
 * Whether the approvals of a run are decided, so that it can go on or end. Waits this long for it,
 * without its workflow.
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
 * Resumes a run that may go on, and waits for its next gate or its end. Recovers its workflow if
 * that is gone.
 */
export async function resumeRun(gateway: Gateway, codeRunId: string): Promise<void> {
  const askToContinue = () => gateway.notices.unlessLost(gateway.orchestrator.continueCodeRun(codeRunId));
  if (await askToContinue()) return;
  if (await recoverCodeRun(gateway, codeRunId)) await askToContinue();
}
