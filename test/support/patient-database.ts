import { type Db, openDatabase } from '../../infra/database.ts';

/** Connections of a test's own. They wait as long as it takes where the machine is busy, as those of the service, whose callers wait, do not. */
export function patientDatabase(url: string, maxConnections = 1): Db {
  return openDatabase({ url, name: 'test', maxConnections, connectTimeoutMs: 60_000 });
}
