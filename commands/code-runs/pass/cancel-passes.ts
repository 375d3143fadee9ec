import { RUN_CANCELED } from '../../../store/code-run-transitions.ts';
import { listEndedRunIds } from '../../../store/code-runs.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import type { Gateway } from '../../gateway.ts';

/** Aborts the passes of this process when any process cancels their run. */
export interface PassCanceler {
  /** Runs `work`. Aborts the signal of `work` with PassReplacedError when the run is canceled. */
  during<Value>(codeRunId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
}

/** Subscribes to cancellations in Postgres until the process ends. */
export function openPassCanceler({ db, logger, notices }: Pick<Gateway, 'db' | 'logger' | 'notices'>): PassCanceler {
  const controllers = new Map<string, Set<AbortController>>();

  const cancel = (codeRunId: string) => {
    for (const controller of controllers.get(codeRunId) ?? []) controller.abort(new PassReplacedError('the run was canceled'));
  };
  /**
   * Cancels the passes of ended runs. Notifications may have been lost before the subscription
   * began again.
   */
  const cancelEnded = async () => {
    if (controllers.size === 0) return;
    for (const id of await listEndedRunIds(db, [...controllers.keys()])) cancel(id);
  };
  notices.subscribe(RUN_CANCELED, (codeRunId) => {
    if (codeRunId !== undefined) return cancel(codeRunId);
    cancelEnded().catch((error) => logger.warn({ error: String(error) }, 'check for canceled runs failed'));
  });

  return {
    async during(codeRunId, signal, work) {
      const controller = new AbortController();
      const ofRun = controllers.get(codeRunId) ?? new Set();
      controllers.set(codeRunId, ofRun.add(controller));
      try {
        return await work(AbortSignal.any([signal, controller.signal]));
      } finally {
        ofRun.delete(controller);
        if (ofRun.size === 0) controllers.delete(codeRunId);
      }
    },
  };
}
