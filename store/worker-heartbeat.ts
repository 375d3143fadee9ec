import type { Db } from '../infra/database.ts';

/** Notification channel: a worker is alive. */
export const WORKER_HEARTBEAT = 'worker_heartbeat';

/** Notifies all processes that this worker is alive. */
export async function notifyHeartbeat(db: Db): Promise<void> {
  await db.raw('select pg_notify(?, ?)', [WORKER_HEARTBEAT, '']);
}
