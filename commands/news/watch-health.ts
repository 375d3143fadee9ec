import type { Gateway } from '../gateway.ts';
import type { DashboardNews } from './dashboard-news.ts';
import { type Heartbeats, listenToHeartbeats } from './worker-heartbeat.ts';

/** How soon open pages learn that Temporal or the worker went away or came back, in ms. */
const EVERY_MS = 5000;
/** Looks without an open page after which what was found is not known any more. */
const FORGET_AFTER = 6;

/**
 * A part that every organization depends on, and that is away. Without Temporal no worker works.
 */
export type Outage = 'temporal' | 'worker';

/** What is known of Temporal and the worker without asking them. */
export interface HealthWatch {
  /** What is away; undefined if nothing is, or once no page was open for a while. */
  outage(): Outage | undefined;
  stop(): void;
}

/**
 * Tells open pages `health` when Temporal or the worker went away or came back. Asks Temporal once
 * for all pages of this process, and only while one is open; the database is not asked.
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
    news.tellAll('health/');
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
