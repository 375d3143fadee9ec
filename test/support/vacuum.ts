import type { Db } from '../../infra/database.ts';
import { until } from './until.ts';

/**
 * Vacuums a table until all of its pages are marked as visible to all transactions: otherwise
 * Postgres uses no index-only scan. A page waits for older open transactions, and until the log of
 * the transaction that wrote it is on disk.
 */
export async function vacuum(db: Db, table: string): Promise<void> {
  await until(async () => {
    await db.raw('vacuum analyze ??', [table]);
    const { rows } = await db.raw('select relallvisible = relpages as "isVisible" from pg_class where oid = ?::regclass', [table]);
    return rows[0].isVisible;
  });
}
