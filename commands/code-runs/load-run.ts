import type { RunApproval } from '../../store/code-run-approvals.ts';
import { findRunToAdvance, type RunToAdvance } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';
import { findCurrentApprovals } from './current-approvals.ts';
import type { RunPlan } from './plan/plan-code-run.ts';

/** The state on which the next transition of a run depends. */
export interface LoadedRun extends RunToAdvance<RunPlan> {
  approvals: RunApproval[];
}

/**
 * Loads the state of a run; undefined if there is none. With `isNew`, reads no approvals, because a
 * new run has none.
 */
export async function loadRun(
  gateway: Pick<Gateway, 'db' | 'runReader'>,
  codeRunId: string,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<LoadedRun | undefined> {
  const [found, approvals] = await Promise.all([
    findRunToAdvance<RunPlan>(gateway.db, codeRunId),
    isNew ? [] : findCurrentApprovals(gateway, codeRunId),
  ]);
  return found && { ...found, approvals };
}
