import { type Db, openDatabase } from '../../infra/database.ts';

/**
 * Opens a database for tests. Connecting times out after 60 seconds, because the machine can be
 * busy. The service's own connections time out sooner.
 */
export function patientDatabase(url: string, maxConnections = 1): Db {
  return openDatabase({ url, name: 'test', maxConnections, connectTimeoutMs: 60_000 });
}
