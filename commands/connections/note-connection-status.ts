import { connectionActivity } from '../../domain/audit/setup-activity.ts';
import type { Connection } from '../../domain/connection.ts';
import { markConnectionAccepted, markConnectionRefused } from '../../store/connections.ts';
import { activityRows } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

const SERVICE = { type: 'system', id: null } as const;
const REFUSED = 'The third party refused the credentials.';

/**
 * Records in a connection whether the third party accepted its credentials. A failed update does
 * not affect the call.
 */
export async function noteConnectionStatus(
  { db, logger }: Pick<Gateway, 'db' | 'logger'>,
  connection: Parameters<typeof connectionActivity>[1] & Pick<Connection, 'status'>,
  accepted: boolean,
): Promise<void> {
  if ((connection.status === 'ERROR') === !accepted) return;
  const noted = accepted
    ? markConnectionAccepted(db, connection.id, activityRows(connectionActivity('connection.recovered', connection, SERVICE)))
    : markConnectionRefused(
        db,
        connection.id,
        REFUSED,
        activityRows(connectionActivity('connection.failed', connection, SERVICE, { reason: REFUSED })),
      );
  await noted.catch((error) => {
    logger.warn({ connectionId: connection.id, error: String(error) }, 'connection status update failed');
  });
}
