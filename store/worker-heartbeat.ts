import type { Db } from '../infra/database.ts';

/** Notification channel: a worker lives. */
export const WORKER_HEARTBEAT = 'worker_heartbeat';

/** Tells all processes that this worker lives. Writes nothing. */
export async function notifyHeartbeat(db: Db): Promise<void> {
  await db.raw('select pg_notify(?, ?)', [WORKER_HEARTBEAT, '']);
}
