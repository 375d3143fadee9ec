import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { RUN_STARTED } from '../../../store/code-run-starts.ts';
import { RUN_APPROVAL_SETTLED } from '../../../store/outbox.ts';
import type { Gateway } from '../../gateway.ts';
import { advanceLoadedRun } from '../advance-run.ts';
import { type LoadedRun, loadRun } from '../load-run.ts';
import type { PassCanceler } from './cancel-passes.ts';

interface Parts {
  sandbox: Sandbox;
  passCanceler: PassCanceler;
}

/** The eager passes of this process: passes that begin before their workflow task arrives. */
export interface EagerPasses {
  /**
   * Resolves when this process no longer advances this run. That can take as long as an outage of
   * the database.
   */
  ended(codeRunId: string): Promise<unknown>;
  /** Starts no more passes, and aborts passes that do not end within the grace period. */
  stop(): Promise<void>;
}

/**
 * Advances new runs and awaited runs as soon as Postgres notifies that they can continue. The
 * workflow task arrives later, and does the work if the eager pass fails (docs/decisions/0033).
 */
export function startPassesEagerly(gateway: Gateway, parts: Parts, { graceMs }: { graceMs: number }): EagerPasses {
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<unknown>>();
  const startAt = (channel: string) => (codeRunId?: string) => {
    if (codeRunId === undefined) return; // only the subscription began
    const request = { codeRunId, isNew: channel === RUN_STARTED, signal: stopping.signal };
    const advanced = startPassEagerly(gateway, parts, request).catch((error) =>
      gateway.logger.debug({ codeRunId, error: String(error) }, 'eager pass not executed, left to the workflow'),
    );
    const all = Promise.all([underWay.get(codeRunId), advanced]);
    underWay.set(codeRunId, all);
    void all.then(() => underWay.get(codeRunId) === all && underWay.delete(codeRunId));
  };
  const subscriptions = [RUN_STARTED, RUN_APPROVAL_SETTLED].map((channel) => gateway.notices.subscribe(channel, startAt(channel)));
  return {
    ended: async (codeRunId) => underWay.get(codeRunId),
    stop: async () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      const grace = setTimeout(() => stopping.abort(new Error('the worker stops')), graceMs);
      await Promise.all(underWay.values());
      clearTimeout(grace);
    },
  };
}

/**
 * Advances a new run that has not begun, or a waiting run whose caller waits. Does nothing for
 * other runs. Throws NoSlotError.
 */
async function startPassEagerly(
  gateway: Gateway,
  { sandbox, passCanceler }: Parts,
  { codeRunId, isNew, signal }: { codeRunId: string; isNew: boolean; signal: AbortSignal },
): Promise<void> {
  const loaded = await loadRun(gateway, codeRunId, { isNew });
  if (!loaded || !(isNew ? hasNotBegun(loaded) : isAwaited(loaded))) return;
  const transition = { resume: false, mayPass: true, isEager: true };
  await passCanceler.during(codeRunId, signal, (signal) =>
    gateway.schedulers.passes.tryRun({ tenantId: loaded.run.orgId }, () =>
      advanceLoadedRun(gateway, sandbox, loaded, { ...transition, signal }),
    ),
  );
}

/**
 * Whether a new run waits for its first pass. If another worker has already requested approvals,
 * the decision continues the run.
 */
function hasNotBegun({ status, run }: LoadedRun): boolean {
  return status === 'running' && run.passNumber === 0;
}

function isAwaited({ status, isAwaited }: LoadedRun): boolean {
  return status === 'waiting' && isAwaited;
}
