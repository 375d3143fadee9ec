import { type Db, openDatabase } from '../../infra/database.ts';

/** Opens a database for tests. Connecting may take 60 seconds, because the machine can be busy. */
export function patientDatabase(url: string, maxConnections = 1): Db {
  return openDatabase({ url, name: 'test', maxConnections, connectTimeoutMs: 60_000 });
}
