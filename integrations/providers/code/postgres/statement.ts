import pg from 'pg';

/** One statement with its parameters. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  /** Default: all. */
  maxRows?: number;
}

export interface Outcome {
  columns: { name: string; dataTypeID: number }[];
  rows: Record<string, unknown>[];
  /** Null if unknown. */
  rowCount: number | null;
  /** Whether there are more rows than `rows` contains. */
  truncated: boolean;
}

interface DriverResult {
  rows: unknown[][];
  fields: { name: string; dataTypeID: number }[];
  rowCount: number | null;
}

class BoundedQuery extends pg.Query {
  handlePortalSuspended(connection: pg.Connection): void {
    connection.sync();
  }
}

/**
 * Runs a statement by the extended protocol, which refuses a second statement after a semicolon.
 */
export async function runStatement(client: pg.Client, types: object, { text, values = [], maxRows }: Statement): Promise<Outcome> {
  const batch = maxRows === undefined ? {} : { rows: maxRows + 1 };
  const config = { text, values: [...values], types, rowMode: 'array', queryMode: 'extended', ...batch };
  const result = await new Promise<DriverResult>((resolve, reject) => {
    const query = new BoundedQuery(config as unknown as pg.QueryConfig);
    Object.assign(query, { callback: (error: Error | null, done: DriverResult) => (error ? reject(error) : resolve(done)) });
    client.query(query as unknown as pg.Submittable);
  });
  const columns = result.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
  const kept = maxRows === undefined ? result.rows : result.rows.slice(0, maxRows);
  return {
    columns,
    // Not by assignment: a column may be named __proto__.
    rows: kept.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!.name, value]))),
    rowCount: result.rowCount,
    truncated: kept.length < result.rows.length,
  };
}
