import { type Db, runPrepared } from '../../infra/database.ts';

/** Makes the names of prepared statements unique. */
let explained = 0;

/**
 * The EXPLAIN ANALYZE output of each read of the table that `work` makes.
 * Costs are set so that Postgres scans a table only where it has no index to use.
 */
export async function readPlans(db: Db, table: string, work: () => Promise<unknown>): Promise<string[]> {
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const listen = (query: { sql: string; bindings: unknown[] }) => asked.push(query);
  db.on('query', listen);
  await work();
  db.off('query', listen);
  return db.transaction(async (tx) => {
    await tx.raw('set local random_page_cost = 1; set local enable_seqscan = off; set local enable_bitmapscan = off');
    const plans: string[] = [];
    for (const { sql, bindings } of asked.filter((query) => query.sql.includes(`"${table}"`))) {
      const explain = { name: `explain-${explained++}`, text: `explain (analyze) ${sql}` };
      const rows = await runPrepared<{ 'QUERY PLAN': string }>(tx, explain, bindings);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  });
}
