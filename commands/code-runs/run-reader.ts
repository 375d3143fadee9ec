import type { CodeRun } from '../../domain/code-run.ts';
import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import type { Db } from '../../infra/database.ts';
import { listRunApprovalStates, type RunApproval } from '../../store/code-run-approvals.ts';
import { listChangedRuns, type WaitedRun } from '../../store/code-runs.ts';

/**
 * Reads runs for callers that wait for them. Concurrent reads share a statement, so a thousand
 * callers notified together cost only a few statements.
 */
export interface RunReader {
  /**
   * The run if it has ended, or waits for approval after a later pass than `passBefore`; otherwise
   * undefined.
   */
  changed(waited: WaitedRun): Promise<CodeRun | undefined>;
  /** All approvals of a run, oldest first. */
  approvals(codeRunId: string): Promise<RunApproval[]>;
}

/** After this time, another read starts beside the current one. */
const MAX_WAIT_MS = 2;

/** Opens the reader of one process. */
export function openRunReader(db: Db): RunReader {
  const changed = batchCalls(
    async (waited: WaitedRun[]) => {
      const runs = new Map((await listChangedRuns(db, leastOf(waited))).map((run) => [run.id, run]));
      return ({ id, passBefore }) => {
        const run = runs.get(id);
        return run && (run.finishedAt !== null || run.passNumber > passBefore) ? run : undefined;
      };
    },
    { maxWaitMs: MAX_WAIT_MS },
  );
  const approvals = batchCalls(
    async (ids: string[]) => {
      const byRun = Map.groupBy(await listRunApprovalStates(db, [...new Set(ids)]), ({ codeRunId }) => codeRunId);
      return (id) => byRun.get(id) ?? [];
    },
    { maxWaitMs: MAX_WAIT_MS },
  );
  return { changed, approvals };
}

function leastOf(waited: readonly WaitedRun[]): WaitedRun[] {
  const least = new Map<string, number>();
  for (const { id, passBefore } of waited) least.set(id, Math.min(passBefore, least.get(id) ?? passBefore));
  return [...least].map(([id, passBefore]) => ({ id, passBefore }));
}
