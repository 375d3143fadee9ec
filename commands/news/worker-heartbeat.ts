import type { Notices } from '../../infra/notices.ts';
import { notifyHeartbeat, WORKER_HEARTBEAT } from '../../store/worker-heartbeat.ts';
import type { Gateway } from '../gateway.ts';

/** Interval of a worker's heartbeats in ms. */
export const HEARTBEAT_MS = 3000;
/** Three heartbeats, in ms. Without one for so long, no worker counts as alive. */
const SILENT_MS = 3 * HEARTBEAT_MS;

/**
 * Sends heartbeats of this worker to the other processes. Temporal alone notices a hanging worker
 * only after minutes.
 */
export function sendHeartbeat({ db }: Pick<Gateway, 'db'>): Promise<void> {
  return notifyHeartbeat(db);
}

/** The heartbeats that this process receives. */
export interface Heartbeats {
  /**
   * Whether heartbeats have stopped: this process has received some, but none for a while. Earlier
   * versions send none, so nothing is concluded before the first one.
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
    // During an outage of the database no heartbeat arrives, so nothing is concluded.
    notices.unlessLost(new Promise<never>(() => {})).catch(forget);
  });
  return { areSilent: () => heardAt !== undefined && performance.now() - heardAt > SILENT_MS, stop };
}
