import type { Gateway } from '../gateway.ts';
import type { DashboardNews } from './dashboard-news.ts';

/** How soon open pages learn that Temporal or the worker went away or came back, in ms. */
const EVERY_MS = 5000;

/**
 * Tells open pages `health` when Temporal or the worker went away or came back. Asks Temporal once
 * for all pages of this process, and only while one is open; the database is not asked. Returns how
 * to stop.
 */
export function watchHealth(gateway: Pick<Gateway, 'orchestrator'>, news: DashboardNews, everyMs = EVERY_MS): () => void {
  let known: string | undefined;
  let isAsking = false;
  const look = async () => {
    if (isAsking || !news.isFollowed()) return;
    isAsking = true;
    const { orchestrator } = gateway;
    const [temporal, worker] = await Promise.allSettled([orchestrator.ping(), orchestrator.hasWorker()]);
    isAsking = false;
    const found = `${temporal.status} ${worker.status === 'fulfilled' ? worker.value : 'unknown'}`;
    // What pages show was read before the first look, so that look may find a difference too.
    if (found === known) return;
    const isFirst = known === undefined;
    known = found;
    if (!isFirst || temporal.status === 'rejected' || found.endsWith('false')) news.tellAll('health/');
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
