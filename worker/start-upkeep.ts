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
/** Interval of the duties that can be late, in ms. */
const SLOW_MS = 10 * 60 * 1000;

/**
 * Runs the periodic duties of a worker until stopped. Several workers can run these duties side by
 * side. A failed duty is retried in its next round.
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
