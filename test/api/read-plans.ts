import { type Db, runPrepared } from '../../infra/database.ts';

/** Gives each prepared statement a unique name. */
let explained = 0;

/**
 * Returns the plan of each statement of `work` on `table`, in order. Executes each statement a
 * second time. `bitmaps` allows bitmap scans, which GIN indexes need.
 */
export async function readPlans(
  db: Db,
  table: string | readonly string[],
  work: () => Promise<unknown>,
  { bitmaps = false } = {},
): Promise<string[]> {
  const asked = await statementsOf(db, work);
  const isAbout = new RegExp(`\\b(?:from|join|update|into)\\s+"?(?:${[table].flat().join('|')})\\b`);
  return db.transaction(async (tx) => {
    await tx.raw('set local random_page_cost = 1; set local enable_seqscan = off');
    if (!bitmaps) await tx.raw('set local enable_bitmapscan = off');
    const plans: string[] = [];
    for (const { text, values } of asked.filter((statement) => isAbout.test(statement.text))) {
      const explain = { name: `explain-${explained++}`, text: `explain (analyze) ${text}` };
      const rows = await runPrepared<{ 'QUERY PLAN': string }>(tx, explain, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  });
}

interface Asked {
  text: string;
  values: unknown[];
}

interface Connection {
  query(asked: Asked, ...rest: unknown[]): unknown;
}

async function statementsOf({ client }: Db, work: () => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  const watched = new Map<Connection, Connection['query']>();
  const acquire = client.acquireConnection;
  client.acquireConnection = async () => {
    const connection: Connection = await acquire.call(client);
    const query = watched.get(connection) ?? connection.query;
    watched.set(connection, query);
    connection.query = (statement, ...rest) => {
      asked.push(statement);
      return query.call(connection, statement, ...rest);
    };
    return connection;
  };
  try {
    await work();
  } finally {
    client.acquireConnection = acquire;
    for (const [connection, query] of watched) connection.query = query;
  }
  return asked;
}
