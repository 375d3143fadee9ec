import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../infra/config.ts';
import { connectionString, readPidFile } from './postgres-cluster.ts';
import { passwordFileOf } from './postgres-home.ts';
import { findRecordedProcess } from './process-record.ts';

/** The connection string of the configured database, or of the embedded one if it runs. */
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
