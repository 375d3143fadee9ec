import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, childEnvironment, SetupError } from '../infra/config.ts';
import { openDataFolder } from './data-folder.ts';
import { startPostgres } from './embedded-postgres.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { runMigrations } from './gateway-processes.ts';
import { connectionString, readPidFile } from './postgres-cluster.ts';
import { passwordFileOf } from './postgres-home.ts';
import { findRecordedProcess } from './process-record.ts';
import { givenSecrets, keepSecrets } from './secrets.ts';

/**
 * Calls `use` with the connection string of the database: the configured one, that of the running service, or, while
 * the service does not run, that of a Postgres that runs just as long. Throws a SetupError when none can be reached, and for a data folder
 * with which nothing has been started: what was made there, no service would know.
 */
export async function reachDatabase<T>(config: Config, use: (databaseUrl: string) => Promise<T>): Promise<T> {
  const running = findRunningDatabase(config);
  if (running) return use(running);
  if (!['secrets.json', 'postgres'].some((name) => existsSync(join(config.dataDir, name))))
    throw new SetupError(
      `Nothing has been started with DATA_DIR=${resolve(config.dataDir)} yet; the running service may use another one: set DATA_DIR and PORT as there.`,
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

/** The connection string of the configured or the running embedded database; undefined while it does not run. */
export function findRunningDatabase(config: Config): string | undefined {
  if (config.databaseUrl) return config.databaseUrl;
  const dataDir = resolve(config.dataDir);
  if (!findRecordedProcess(dataDir, 'postgres')) return undefined;
  try {
    const found = readPidFile(join(dataDir, 'postgres', 'cluster'));
    const password = readFileSync(passwordFileOf(dataDir), 'utf8').trim();
    return found?.isReady ? connectionString('gateway', password, found.port, 'gateway') : undefined;
  } catch {
    return undefined;
  }
}
