import { connectionActivity } from '../../domain/audit/setup-activity.ts';
import { markConnectionAccepted, markConnectionRefused } from '../../store/connections.ts';
import type { UsableConnection } from '../../store/usable-connections.ts';
import { activityRows } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

const SERVICE = { type: 'system', id: null } as const;
const REFUSED = { reason: 'The third party refused the credentials.' };

/**
 * Marks a connection whose credentials the third party refused, until a call with it succeeds
 * again. A failed update does not affect the call.
 */
export async function noteConnectionStatus(
  { db, logger }: Pick<Gateway, 'db' | 'logger'>,
  connection: UsableConnection | null,
  accepted: boolean,
): Promise<void> {
  if (!connection || (connection.status === 'ERROR') === !accepted) return;
  const noted = accepted
    ? markConnectionAccepted(db, connection.id, activityRows(connectionActivity('connection.recovered', connection, SERVICE)))
    : markConnectionRefused(db, connection.id, activityRows(connectionActivity('connection.failed', connection, SERVICE, REFUSED)));
  await noted.catch((error) => {
    logger.warn({ connectionId: connection.id, error: String(error) }, 'connection status update failed');
  });
}
