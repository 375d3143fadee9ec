import { mergeCounts } from '../commands/approvals/merge-counts.ts';
import { refreshDueConnections } from '../commands/connections/refresh-connection.ts';
import type { Gateway } from '../commands/gateway.ts';
import { openRefreshSchedule } from '../commands/integrations/refresh-schedule.ts';
import { openServerWatches } from '../commands/integrations/watch-servers.ts';
import { HEARTBEAT_MS, sendHeartbeat } from '../commands/news/worker-heartbeat.ts';
import { rotateDueOAuthKeys } from '../commands/oauth/oauth-keys.ts';
import { deleteExpiredSignIns } from '../commands/sign-in/delete-expired.ts';
import { startRepeating } from './start-repeating.ts';

const MERGE_MS = 2000;
const REFRESH_MS = 5000;
/** Expired records open nothing; they only take space. Keys are replaced in months. */
const SLOW_MS = 10 * 60 * 1000;

/**
 * Tells the other processes that this worker lives, every three seconds. Listens to MCP servers for
 * changes of their tools. Refreshes access of third parties ahead of its end, and custom
 * integrations when they are due, every five seconds. Merges counts of approvals every two. Deletes
 * expired sign-ins and records of the authorization server, and replaces its keys. Runs until
 * stopped. Several workers may do so side by side. A failed duty is retried in the next round.
 */
export function startUpkeep(gateway: Gateway): { stop(): Promise<void> } {
  const attempt = (what: string, duty: (gateway: Gateway) => Promise<unknown>) => async () => {
    await duty(gateway).catch((error) => gateway.logger.warn({ error: String(error) }, `${what} failed, retrying later`));
  };
  const watches = openServerWatches(gateway);
  const schedule = openRefreshSchedule(gateway);
  const turns = [
    startRepeating(HEARTBEAT_MS, attempt('heartbeat', sendHeartbeat)),
    startRepeating(MERGE_MS, attempt('merge of approval counts', mergeCounts)),
    startRepeating(REFRESH_MS, attempt('connection refresh', refreshDueConnections)),
    startRepeating(
      REFRESH_MS,
      attempt('integration refresh', () => schedule.turn()),
    ),
    startRepeating(
      REFRESH_MS,
      attempt('listening to MCP servers', () => watches.turn()),
    ),
    startRepeating(SLOW_MS, attempt('deletion of expired sign-ins', deleteExpiredSignIns)),
    startRepeating(SLOW_MS, attempt('rotation of OAuth keys', rotateDueOAuthKeys)),
  ];
  const stop = async () => {
    await Promise.all(turns.map((one) => one.stop()));
    await Promise.all([schedule.close(), watches.close()]);
  };
  return { stop };
}
