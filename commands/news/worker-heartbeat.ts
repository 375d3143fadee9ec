import type { Notices } from '../../infra/notices.ts';
import { notifyHeartbeat, WORKER_HEARTBEAT } from '../../store/worker-heartbeat.ts';
import type { Gateway } from '../gateway.ts';

/** Interval of a worker's heartbeats in ms. */
export const HEARTBEAT_MS = 3000;
/** After this time in ms without a heartbeat, no worker counts as alive. */
const SILENT_MS = 3 * HEARTBEAT_MS;

/**
 * Sends a heartbeat of this worker to the other processes. Temporal itself notices a hanging worker
 * only after minutes.
 */
export function sendHeartbeat({ db }: Pick<Gateway, 'db'>): Promise<void> {
  return notifyHeartbeat(db);
}

/** The heartbeats that this process receives. */
export interface Heartbeats {
  /**
   * Returns true if heartbeats have stopped: this process has received some, but none for a while.
   * Workers of earlier versions send none, so the result is false before the first heartbeat.
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
    // Without a payload, this process has begun to listen. If the connection is lost later, forgets
    // the last heartbeat, because no heartbeat can arrive.
    notices.unlessLost(new Promise<never>(() => {})).catch(forget);
  });
  return { areSilent: () => heardAt !== undefined && performance.now() - heardAt > SILENT_MS, stop };
}
