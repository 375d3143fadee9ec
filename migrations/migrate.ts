import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';

/**
 * Applies the missing migrations in the order of their names, and returns their names. Waits while
 * another process migrates.
 */
export async function migrate(db: Db): Promise<string[]> {
  const connection = await db.client.acquireConnection();
  try {
    while (!(await takesLock(connection))) await delay(LOCK_POLL_MS);
    await db.migrate.forceFreeMigrationsLock(SETTINGS);
    const [, applied] = await db.migrate.latest(SETTINGS);
    return applied.map((name: string) => basename(name, '.ts'));
  } finally {
    await connection.query(`select pg_advisory_unlock(${LOCK})`);
    await db.client.releaseConnection(connection);
  }
}

const LOCK = "hashtextextended('migrations', 0)";

const LOCK_POLL_MS = 200;

/** Takes the lock if it is free. A statement that waits would block a concurrent index build. */
async function takesLock(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query(`select pg_try_advisory_lock(${LOCK}) as taken`);
  return rows[0]!.taken;
}

interface Connection {
  query(text: string): Promise<{ rows: { taken: boolean }[] }>;
}

/** Whether no migration is missing. */
export async function isMigrated(db: Db): Promise<boolean> {
  const [, pending] = await db.migrate.list(SETTINGS);
  return pending.length === 0;
}

const MIGRATION_FILE = /^\d{4}_\w+\.ts$/;

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => (await readdir(import.meta.dirname)).filter((file) => MIGRATION_FILE.test(file)).sort(),
  getMigrationName: (file) => file,
  getMigration: (file) => import(join(import.meta.dirname, file)),
};

const SETTINGS: Knex.MigratorConfig = { tableName: 'schema_migrations', migrationSource: source };
