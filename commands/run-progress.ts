import { type CodeRun, isFinished } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { RUN_MOVED } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import { RUN_APPROVAL_SETTLED } from '../store/outbox.ts';
import type { Gateway } from './gateway.ts';
import { reviveCodeRun } from './revive-code-run.ts';
import { listStandingApprovals } from './standing-approvals.ts';

/** So long a run that somebody waits for may take to go on by itself, at its start or when it hears of a decision; then its workflow is asked. */
const MOVE_MS = 1000;

/** The run as soon as it has come to a gate, or to its end, since that pass: Postgres tells in the moment, long before the workflow could answer. */
export function nextMove(gateway: Gateway, codeRunId: string, passBefore: number): Promise<CodeRun | undefined> {
  return gateway.notices.waitFor(RUN_MOVED, codeRunId, MOVE_MS, async () => {
    const run = await readRun(gateway, codeRunId);
    const isAtNextGate = run.status === 'waiting' && run.passNumber > passBefore;
    return isFinished(run.status) || isAtNextGate ? run : undefined;
  });
}

/** A run that its caller has heard of. */
export async function readRun(gateway: Gateway, codeRunId: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run) throw new GatewayError('APPROVAL_NOT_FOUND', 'The run is gone.');
  return run;
}

/** Whether people have said all that a run needs to go on or to end; waits so long for it. Postgres knows, and tells: the run's workflow is not asked. */
export async function isDecided(gateway: Gateway, codeRunId: string, waitSeconds: number): Promise<boolean> {
  const check = async () => {
    const statuses = (await listStandingApprovals(gateway, codeRunId)).map(({ status }) => status);
    const ended = statuses.some((status) => status === 'rejected' || status === 'expired' || status === 'canceled');
    return ended || !statuses.includes('pending') || undefined;
  };
  const decided =
    waitSeconds === 0 ? await check() : await gateway.notices.waitFor(RUN_APPROVAL_SETTLED, codeRunId, waitSeconds * 1000, check);
  return decided ?? false;
}

/** Lets a run go on when it may, and waits for its next gate or its end; one that has lost its workflow gets another one first. */
export async function goOn(gateway: Gateway, codeRunId: string): Promise<void> {
  const askToContinue = () => gateway.notices.unlessLost(gateway.orchestrator.continueCodeRun(codeRunId));
  if (await askToContinue()) return;
  if (await reviveCodeRun(gateway, codeRunId)) await askToContinue();
}
