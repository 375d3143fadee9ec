import type { CodeRun } from '../domain/code-run.ts';
import { RUN_MOVED } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import type { Gateway } from './gateway.ts';

/** So long a worker may take to stop a pass of a canceled run, and to say what it had written. */
const STOP_MS = 1000;

/** The run itself; one that was just canceled in the middle of a pass as it is when the pass has stopped, so that it has all that the code wrote. */
export async function stoppedRun({ db, notices }: Pick<Gateway, 'db' | 'notices'>, run: CodeRun): Promise<CodeRun> {
  if (!isStopping(run)) return run;
  const stopped = await notices.waitFor(RUN_MOVED, run.id, STOP_MS, async () => {
    const now = await findCodeRun(db, run.id);
    return now && isStopping(now) ? undefined : now;
  });
  return stopped ?? run;
}

/** Cancelling raises the number of the pass: the one before it may still be at work. */
function isStopping({ status, passNumber, lastPass, finishedSecondsAgo }: CodeRun): boolean {
  const stops = passNumber - 1;
  return status === 'canceled' && stops > 0 && lastPass?.passNumber !== stops && (finishedSecondsAgo ?? 0) * 1000 < STOP_MS;
}
