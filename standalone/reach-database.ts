import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, childEnvironment, SetupError } from '../infra/config.ts';
import { openDataFolder } from './data-folder.ts';
import { startPostgres } from './embedded-postgres.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { runMigrations } from './gateway-processes.ts';
import { findRunningDatabase } from './running-database.ts';
import { givenSecrets, keepSecrets } from './secrets.ts';

/**
 * Calls `use` with the connection string of the database. Starts the embedded Postgres for this
 * call if it does not run. Throws SetupError.
 */
export async function reachDatabase<T>(config: Config, use: (databaseUrl: string) => Promise<T>): Promise<T> {
  const running = findRunningDatabase(config);
  if (running) return use(running);
  if (!['secrets.json', 'postgres'].some((name) => existsSync(join(config.dataDir, name))))
    throw new SetupError(
      `Nothing has been started with DATA_DIR=${resolve(config.dataDir)} yet. If the service runs with another data folder, set DATA_DIR to that folder.`,
    );
  const { path: dataDir, release } = await openDataFolder(config.dataDir, () => {});
  try {
    const secrets = keepSecrets(dataDir, givenSecrets(config));
    const postgres = await startOnFreePorts(
      async () => [await freePort(config.postgresPort)],
      (port) => startPostgres({ dataDir, port }),
    );
    try {
      await runMigrations(dataDir, childEnvironment({ ...secrets, DATABASE_URL: postgres.url }));
      return await use(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    release();
  }
}
