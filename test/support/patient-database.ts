import { type Db, openDatabase } from '../../infra/database.ts';

/**
 * Database connections without timeouts, for use by tests on a busy machine. The service's own
 * connections have timeouts.
 */
export function patientDatabase(url: string, maxConnections = 1): Db {
  return openDatabase({ url, name: 'test', maxConnections, connectTimeoutMs: 60_000 });
}
