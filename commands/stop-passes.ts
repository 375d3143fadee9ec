import { RUN_CANCELED } from '../store/code-run-moves.ts';
import { listEndedRunIds } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/fence.ts';
import type { Gateway } from './gateway.ts';

/** How the passes of this process hear that their run was canceled, by whatever process. */
export interface PassStops {
  /** Does work on a run under a signal that is aborted, with PassReplacedError, as soon as the run is known to have been canceled. */
  during<Value>(codeRunId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
}

/** Listens to Postgres from now on, for as long as the process lives. */
export function openPassStops({ db, logger, notices }: Pick<Gateway, 'db' | 'logger' | 'notices'>): PassStops {
  const stops = new Map<string, Set<AbortController>>();

  const stop = (codeRunId: string) => {
    for (const controller of stops.get(codeRunId) ?? []) controller.abort(new PassReplacedError('the run was canceled'));
  };
  /** Listening began, perhaps again: something may have been missed. */
  const lookAtAll = async () => {
    if (stops.size === 0) return;
    for (const id of await listEndedRunIds(db, [...stops.keys()])) stop(id);
  };
  notices.subscribe(RUN_CANCELED, (codeRunId) => {
    if (codeRunId !== undefined) return stop(codeRunId);
    lookAtAll().catch((error) => logger.warn({ error: String(error) }, 'runs under way not looked at'));
  });

  return {
    async during(codeRunId, signal, work) {
      const controller = new AbortController();
      const ofRun = stops.get(codeRunId) ?? new Set();
      stops.set(codeRunId, ofRun.add(controller));
      try {
        return await work(AbortSignal.any([signal, controller.signal]));
      } finally {
        ofRun.delete(controller);
        if (ofRun.size === 0) stops.delete(codeRunId);
      }
    },
  };
}
