import type { Db } from '../../infra/database.ts';
import { until } from './until.ts';

/**
 * Vacuums a table until all of its pages are marked as visible to all transactions. Postgres uses
 * index-only scans only for such pages.
 * Two things delay the marking of a page: older open transactions, and a write-ahead log that is
 * not yet on disk.
 */
export async function vacuum(db: Db, table: string): Promise<void> {
  await until(async () => {
    await db.raw('vacuum analyze ??', [table]);
    const { rows } = await db.raw('select relallvisible = relpages as "isVisible" from pg_class where oid = ?::regclass', [table]);
    return rows[0].isVisible;
  });
}
