import knex, { type Knex } from 'knex';
import pg from 'pg';

/** A connection pool or a transaction on it; every store function takes one. */
export type Db = Knex;

// int8 comes as a string by default; ours are counts and sequence numbers far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface DatabaseOptions {
  url: string;
  maxConnections?: number;
  name: string;
  /** A statement that takes longer counts as lost, and its connection too. Default: none. */
  statementTimeoutMs?: number;
  /** For how long a connection is waited for. Default: 1500, so that callers hear within two seconds that the database is away. */
  connectTimeoutMs?: number;
}

/**
 * Opens a pool. Connecting is lazy; a database that is away shows in the first query. A transaction that Postgres ended
 * for the sake of another one (a deadlock) runs once more, from the start.
 */
export function openDatabase({ url, maxConnections = 10, name, statementTimeoutMs, connectTimeoutMs = 1500 }: DatabaseOptions): Db {
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      query_timeout: statementTimeoutMs,
    },
    pool: {
      afterCreate: dropWhenStuck,
      min: 0,
      max: maxConnections,
      acquireTimeoutMillis: connectTimeoutMs + 300,
      idleTimeoutMillis: 60_000,
    },
    acquireConnectionTimeout: connectTimeoutMs + 300,
    log: SILENT,
  });
  // The library's own property cannot be assigned to.
  Object.defineProperty(db, 'transaction', { value: twice(db.transaction.bind(db) as Transact) });
  return db;
}

type Transact = (work: unknown, options?: unknown) => Promise<unknown>;

/** Those that begin and end a transaction themselves get one that can't be run again. */
function twice(transact: Transact): Transact {
  return (work, options) => {
    const first = transact(work, options);
    return typeof work === 'function'
      ? first.catch((error) => (isContended(error) ? transact(work, options) : Promise.reject(error)))
      : first;
  };
}

/** What knex would print is thrown as well. */
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

/** A server that hangs leaves its connections open and silent: after a statement that timed out, the connection is given up. */
function dropWhenStuck(connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void): void {
  const query = connection.query.bind(connection) as (config: unknown, callback?: Callback) => Promise<unknown> | undefined;
  const giveUp = (error: unknown) => {
    if (error instanceof Error && error.message === 'Query read timeout')
      (connection as unknown as { connection: pg.Connection }).connection.stream.destroy();
  };
  const watched = (config: unknown, callback?: Callback) => {
    if (callback) {
      return query(config, (error, result) => {
        giveUp(error);
        callback(error, result);
      });
    }
    const result = query(config);
    result?.catch(giveUp);
    return result;
  };
  connection.query = watched as typeof connection.query;
  done(null, connection);
}

type Callback = (error: unknown, result: unknown) => void;

/** A named statement: Postgres parses and plans it once a connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs a prepared statement without the query builder, on the pool or inside the transaction given; for the hot paths. */
export async function runPrepared<Row extends object>(db: Db, statement: Statement, values: unknown[]): Promise<Row[]> {
  const connection = await db.client.acquireConnection();
  try {
    const result = await connection.query({ ...statement, values });
    return result.rows;
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08006',
]);

/** True when an error says that the database can't be reached, rather than that a query was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as { code?: string; name?: string; message?: string };
  return (
    (code !== undefined && AWAY.has(code)) ||
    name === 'KnexTimeoutError' ||
    /Connection terminated|is not queryable|timeout expired|Query read timeout|timeout exceeded when trying to connect/i.test(message ?? '')
  );
}

/** True when Postgres ended a transaction because it and another one waited for each other, or could not both be right. */
export function isContended(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '40P01' || code === '40001';
}

/** True when a unique constraint refused a row; with a name, that one. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  const { code, constraint: broken } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || broken === constraint);
}

/** True when a row referred to another one that is not there, such as a workspace that was deleted at this very moment. */
export function isMissingReference(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === '23503';
}

/** True when a text value held something that Postgres can't store: NUL, a lone surrogate, invalid UTF-8. */
export function isUnstorableText(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '22021' || code === '22P05' || code === '22P02';
}
