import type { Db } from '../../infra/database.ts';
import { until } from './until.ts';

/**
 * Vacuums a table until Postgres marks all its pages as visible, so that index-only scans read only
 * the index.
 */
export async function vacuum(db: Db, table: string): Promise<void> {
  await until(async () => {
    await db.raw('vacuum analyze ??', [table]);
    const { rows } = await db.raw('select relallvisible = relpages as "isVisible" from pg_class where oid = ?::regclass', [table]);
    return rows[0].isVisible;
  });
}
