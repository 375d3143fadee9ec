import type { Db } from '../../infra/database.ts';
import { until } from './until.ts';

/**
 * Vacuums a table until all of its pages are known to be visible to everybody: without that,
 * Postgres reads no index alone. A page waits while an older transaction is open, and until the log
 * of the transaction that wrote the page is on disk.
 */
export async function vacuum(db: Db, table: string): Promise<void> {
  await until(async () => {
    await db.raw('vacuum analyze ??', [table]);
    const { rows } = await db.raw('select relallvisible = relpages as "isVisible" from pg_class where oid = ?::regclass', [table]);
    return rows[0].isVisible;
  });
}
