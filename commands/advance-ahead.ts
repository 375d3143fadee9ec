import { type CodeRun, isFinished } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { RUN_STARTED } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import { RUN_APPROVAL_SETTLED } from '../store/outbox.ts';
import { moveOn } from './advance-code-run.ts';
import { atOnce } from './fair-turns.ts';
import type { Gateway } from './gateway.ts';
import { readStanding } from './standing-approvals.ts';
import type { PassStops } from './stop-passes.ts';

interface Parts {
  sandbox: Sandbox;
  passStops: PassStops;
}

/**
 * Moves runs on as soon as Postgres tells that they can go on and somebody waits for them, from now on until stopped: the task of their workflow takes some more hops to
 * come, and then finds it done, or waits for it (docs/decisions/0033). What does not come about here is done by that task.
 */
export function advanceRunsAhead(gateway: Gateway, parts: Parts): { stop(): Promise<void> } {
  const end = new AbortController();
  const underWay = new Set<Promise<void>>();
  const advanceAt = (channel: string) => (codeRunId?: string) => {
    if (codeRunId === undefined) return; // listening began
    const advanced = advanceAhead(gateway, parts, { codeRunId, isNew: channel === RUN_STARTED, signal: end.signal })
      .catch((error) => gateway.logger.debug({ codeRunId, error: String(error) }, 'a run is left to its workflow'))
      .finally(() => underWay.delete(advanced));
    underWay.add(advanced);
  };
  const stopListening = [RUN_STARTED, RUN_APPROVAL_SETTLED].map((channel) => gateway.notices.subscribe(channel, advanceAt(channel)));
  return {
    stop: async () => {
      for (const stop of stopListening) stop();
      end.abort(new Error('the worker stops'));
      await Promise.all(underWay);
    },
  };
}

/** Does nothing where the task was first, no place is free, or nobody waits. */
async function advanceAhead(
  gateway: Gateway,
  { sandbox, passStops }: Parts,
  { codeRunId, isNew, signal }: { codeRunId: string; isNew: boolean; signal: AbortSignal },
): Promise<void> {
  const [run, standing] = await Promise.all([findCodeRun(gateway.db, codeRunId), isNew ? undefined : readStanding(gateway, codeRunId)]);
  if (!run || !canBegin(run)) return;
  const move = { resume: false, mayPass: true, isAhead: true, standing };
  await passStops.during(run.id, signal, (signal) =>
    atOnce(gateway.turns.forPasses, run.orgId, () => moveOn(gateway, sandbox, run, { ...move, signal })),
  );
}

/** A new run is always waited for. */
function canBegin(run: CodeRun): boolean {
  const isNew = run.status === 'running' && run.passNumber === 0;
  return !isFinished(run.status) && (isNew || (run.status === 'waiting' && run.isAwaited));
}
