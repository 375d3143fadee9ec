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

/** Runs that this process moves on ahead of their tasks. */
export interface AdvancesAhead {
  /** Resolves when no move of this run is under way here, however long the database is away meanwhile. */
  ended(codeRunId: string): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Moves runs on as soon as Postgres tells that they can go on and somebody waits for them, from now on until stopped: the task of their workflow takes some more hops to
 * come, and then finds it done, or waits for it (docs/decisions/0033). What does not come about here is done by that task. Passes that are under way at the stop have
 * `graceMs` to end by themselves.
 */
export function advanceRunsAhead(gateway: Gateway, parts: Parts, { graceMs }: { graceMs: number }): AdvancesAhead {
  const end = new AbortController();
  const underWay = new Map<string, Promise<unknown>>();
  const advanceAt = (channel: string) => (codeRunId?: string) => {
    if (codeRunId === undefined) return; // listening began
    const advanced = advanceAhead(gateway, parts, { codeRunId, isNew: channel === RUN_STARTED, signal: end.signal }).catch((error) =>
      gateway.logger.debug({ codeRunId, error: String(error) }, 'a run is left to its workflow'),
    );
    const all = Promise.all([underWay.get(codeRunId), advanced]);
    underWay.set(codeRunId, all);
    void all.then(() => underWay.get(codeRunId) === all && underWay.delete(codeRunId));
  };
  const stopListening = [RUN_STARTED, RUN_APPROVAL_SETTLED].map((channel) => gateway.notices.subscribe(channel, advanceAt(channel)));
  return {
    ended: async (codeRunId) => underWay.get(codeRunId),
    stop: async () => {
      for (const stop of stopListening) stop();
      const grace = setTimeout(() => end.abort(new Error('the worker stops')), graceMs);
      await Promise.all(underWay.values());
      clearTimeout(grace);
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
