import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';

/** Applies missing migrations under a lock, in the order of their names. Returns their names. */
export async function migrate(db: Db): Promise<string[]> {
  const [, applied] = await db.migrate.latest(SETTINGS);
  return applied.map((name: string) => basename(name, '.ts'));
}

/** True when no migration is missing. */
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
