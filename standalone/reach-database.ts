import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, childEnvironment } from '../infra/config.ts';
import { openDataFolder } from './data-folder.ts';
import { startPostgres } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { runMigrations } from './gateway-processes.ts';
import { connectionString } from './postgres-cluster.ts';
import { passwordFileOf } from './postgres-home.ts';
import { findRecordedProcess } from './process-record.ts';
import { keepSecrets } from './secrets.ts';

/**
 * Calls `use` with the connection string of the database: the configured one, that of the running service, or, while
 * the service does not run, that of a Postgres that runs just as long. Throws a SetupError when none can be reached.
 */
export async function reachDatabase<T>(config: Config, use: (databaseUrl: string) => Promise<T>): Promise<T> {
  const running = findRunningDatabase(config);
  if (running) return use(running);
  const { path: dataDir, release } = await openDataFolder(config.dataDir, () => {});
  try {
    const secrets = keepSecrets(dataDir, { ENCRYPTION_KEYS: config.encryptionKeys, TOKEN_PEPPER: config.tokenPepper });
    const postgres = await startPostgres({ dataDir, port: await freePort(config.postgresPort) });
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
    // The fourth line of Postgres's own pid file is its port, the eighth its state.
    const lines = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    const password = readFileSync(passwordFileOf(dataDir), 'utf8').trim();
    return lines[7]?.trim() === 'ready' ? connectionString('gateway', password, Number(lines[3]), 'gateway') : undefined;
  } catch {
    return undefined;
  }
}
