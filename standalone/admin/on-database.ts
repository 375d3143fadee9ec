import { type Config, SetupError } from '../../infra/config.ts';
import { type Db, isDatabaseUnavailable, openDatabase } from '../../infra/database.ts';
import { reachDatabase } from '../reach-database.ts';

/** Calls `use` with the service's database, whether the service runs or not. Throws SetupError. */
export async function onDatabase<T>(config: Config, use: (db: Db) => Promise<T>): Promise<T> {
  return reachDatabase(config, async (url) => {
    const db = openDatabase({ url, name: 'gateway-admin', maxConnections: 2, connectTimeoutMs: config.awayAfterMs });
    try {
      return await use(db);
    } catch (error) {
      throw isDatabaseUnavailable(error) ? new SetupError(`The database cannot be reached: ${(error as Error).message}.`) : error;
    } finally {
      await db.destroy();
    }
  });
}
