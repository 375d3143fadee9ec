import type { CodeRunStatus, RunState } from '../../domain/code-run.ts';
import type { RunApproval } from '../../store/code-run-approvals.ts';
import type { Gateway } from '../gateway.ts';
import { findCurrentApprovals } from './current-approvals.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The state of a run with this status, after reading its current approvals. */
export async function readRunState(gateway: Pick<Gateway, 'runReader'>, codeRunId: string, status: CodeRunStatus): Promise<RunState> {
  return runState(status, await findCurrentApprovals(gateway, codeRunId));
}

/**
 * The state of a run. `waitsUntil` is at most a day ahead, so that a wait is checked at least once
 * a day.
 */
export function runState(status: CodeRunStatus, approvals: readonly RunApproval[], now = Date.now()): RunState {
  const ends = approvals.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  return {
    status,
    pendingApprovalIds: approvals.filter((approval) => approval.status === 'pending').map(({ id }) => id),
    approvalIds: approvals.map(({ id }) => id),
    waitsUntil: status === 'waiting' ? Math.min(...ends, now + DAY_MS) : null,
  };
}

/** The state of a run that has requested no approval. */
export function ungatedState(status: CodeRunStatus): RunState {
  return { status, pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
}
