import type { Notices } from '../../infra/notices.ts';
import { notifyHeartbeat, WORKER_HEARTBEAT } from '../../store/worker-heartbeat.ts';
import type { Gateway } from '../gateway.ts';

/** How often a worker tells that it lives, in ms. */
export const HEARTBEAT_MS = 3000;
/** Three heartbeats, in ms. After this, no worker lives. */
const SILENT_MS = 3 * HEARTBEAT_MS;

/**
 * Tells the other processes that this worker lives. Temporal notices a hanging one after minutes.
 */
export function sendHeartbeat({ db }: Pick<Gateway, 'db'>): Promise<void> {
  return notifyHeartbeat(db);
}

/** What is heard of workers. */
export interface Heartbeats {
  /**
   * Whether a worker was heard since this process listens, and none for a while. Workers of
   * earlier versions send nothing, so before the first heartbeat nothing is known.
   */
  areSilent(): boolean;
  stop(): void;
}

/** Listens to the heartbeats of workers. Costs no query. */
export function listenToHeartbeats(notices: Notices): Heartbeats {
  let heardAt: number | undefined;
  const forget = () => {
    heardAt = undefined;
  };
  const stop = notices.subscribe(WORKER_HEARTBEAT, (payload) => {
    if (payload !== undefined) {
      heardAt = performance.now();
      return;
    }
    // Without the database nothing is heard, whether a worker lives or not.
    notices.unlessLost(new Promise<never>(() => {})).catch(forget);
  });
  return { areSilent: () => heardAt !== undefined && performance.now() - heardAt > SILENT_MS, stop };
}
