import type { Notices } from '../../infra/notices.ts';
import { notifyHeartbeat, WORKER_HEARTBEAT } from '../../store/worker-heartbeat.ts';
import type { Gateway } from '../gateway.ts';

/** Interval of a worker's heartbeats. */
export const HEARTBEAT_MS = 3000;
/** After this time without a heartbeat, no worker counts as alive. */
const SILENT_MS = 3 * HEARTBEAT_MS;

/**
 * Sends a heartbeat of this worker. Temporal itself notices a hanging worker only after minutes.
 */
export function sendHeartbeat({ db }: Pick<Gateway, 'db'>): Promise<void> {
  return notifyHeartbeat(db);
}

/** The heartbeats that this process receives. */
export interface Heartbeats {
  /**
   * True if heartbeats have stopped. False before the first heartbeat, because workers of earlier
   * versions send none.
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
    // A notice without a payload means that this process has begun to listen. If the connection is
    // lost later, no heartbeat can arrive, so the last heartbeat is forgotten.
    notices.unlessLost(new Promise<never>(() => {})).catch(forget);
  });
  return { areSilent: () => heardAt !== undefined && performance.now() - heardAt > SILENT_MS, stop };
}
