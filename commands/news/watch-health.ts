import type { Gateway } from '../gateway.ts';
import type { DashboardNews } from './dashboard-news.ts';
import { type Heartbeats, listenToHeartbeats } from './worker-heartbeat.ts';

/** Open pages learn of a change after about this time. */
const EVERY_MS = 5000;
/** After this number of checks without an open page, a known outage is forgotten. */
const FORGET_AFTER = 6;

/** An unavailable part of the service. If Temporal is unavailable, workers cannot work either. */
export type Outage = 'temporal' | 'worker';

/** The last known health of Temporal and the worker. */
export interface HealthWatch {
  /** Undefined if no part is unavailable, or if no page was open for a while. */
  outage(): Outage | undefined;
  stop(): void;
}

/**
 * Sends the news `health/` to open pages when Temporal or the worker fails or works again. Checks
 * only while a page of this process is open.
 */
export function watchHealth(gateway: Pick<Gateway, 'orchestrator' | 'notices'>, news: DashboardNews, everyMs = EVERY_MS): HealthWatch {
  let heartbeats: Heartbeats | undefined;
  let known: Outage | undefined;
  let unwatched = 0;
  let isAsking = false;
  const look = async () => {
    if (isAsking) return;
    unwatched = news.isFollowed() ? 0 : unwatched + 1;
    if (unwatched >= FORGET_AFTER) known = undefined;
    if (unwatched > 0) return;
    isAsking = true;
    heartbeats ??= listenToHeartbeats(gateway.notices);
    const found = await findOutage(gateway, heartbeats);
    isAsking = false;
    if (found === known) return;
    known = found;
    news.notifyAll('health/');
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    heartbeats?.stop();
  };
  return { outage: () => known, stop };
}

async function findOutage({ orchestrator }: Pick<Gateway, 'orchestrator'>, heartbeats: Heartbeats): Promise<Outage | undefined> {
  const [temporal, worker] = await Promise.allSettled([orchestrator.ping(), orchestrator.hasWorker()]);
  if (temporal.status === 'rejected') return 'temporal';
  const isGone = worker.status === 'fulfilled' && !worker.value;
  return isGone || heartbeats.areSilent() ? 'worker' : undefined;
}
