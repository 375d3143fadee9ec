import type { CodeRun } from '../../../domain/code-run.ts';
import { RUN_CHANGED } from '../../../store/code-run-transitions.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import type { Gateway } from '../../gateway.ts';

const STOP_MS = 1000;

/** Waits up to STOP_MS until the pass of a canceled run has stopped and recorded its log. */
export async function awaitStoppedPass({ db, notices }: Pick<Gateway, 'db' | 'notices'>, run: CodeRun): Promise<CodeRun> {
  if (!isStopping(run)) return run;
  const stopped = await notices.waitFor(RUN_CHANGED, run.id, STOP_MS, async () => {
    const now = await findCodeRun(db, run.id);
    return now && isStopping(now) ? undefined : now;
  });
  return stopped ?? run;
}

/**
 * Whether the pass before the cancellation may still run. Canceling raises the pass number by one.
 */
function isStopping({ status, passNumber, lastPass, finishedSecondsAgo }: CodeRun): boolean {
  const stopping = passNumber - 1;
  return status === 'canceled' && stopping > 0 && lastPass?.passNumber !== stopping && (finishedSecondsAgo ?? 0) * 1000 < STOP_MS;
}
