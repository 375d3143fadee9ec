import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { RetryOptions } from './concurrency/retry.ts';

/** A connection pool, or a transaction on a pool. */
export type Db = Knex;

// By default pg returns int8 as a string. Our int8 values are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface DatabaseOptions {
  url: string;
  maxConnections?: number;
  name: string;
  /** In ms. A late statement fails and its connection is closed. Default: no limit. */
  statementTimeoutMs?: number;
  /** In ms. Default: 1500, so that callers learn of an outage within two seconds. */
  connectTimeoutMs?: number;
}

/**
 * Opens a pool that connects on first use. A transaction that Postgres ends because of contention
 * runs once more.
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
  // knex's property is not assignable.
  Object.defineProperty(db, 'transaction', { value: twice(db.transaction.bind(db) as Transact) });
  return db;
}

type Transact = (work: unknown, options?: unknown) => Promise<unknown>;

/** Only a transaction given as a function can run again. */
function twice(transact: Transact): Transact {
  return (work, options) => {
    const first = transact(work, options);
    return typeof work === 'function'
      ? first.catch((error) => (isContended(error) ? transact(work, options) : Promise.reject(error)))
      : first;
  };
}

/** knex prints its warnings by default. */
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * A hanging server leaves its connections open, so a connection closes itself after a statement has
 * timed out.
 */
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

/** Runs `read` in a transaction that sees one snapshot. */
export function inSnapshot<Result>(db: Db, read: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.transaction(read, { isolationLevel: 'repeatable read', readOnly: true });
}

type Callback = (error: unknown, result: unknown) => void;

/** Postgres parses a prepared statement once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/**
 * Runs a prepared statement on the pool or in a transaction. Skips the query builder, for hot
 * paths.
 */
export async function runPrepared<Row extends object>(db: Db, statement: Statement, values: unknown[]): Promise<Row[]> {
  const connection = await db.client.acquireConnection();
  try {
    const result = await connection.query({ ...statement, values });
    return result.rows;
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const UNAVAILABLE_CODES = new Set([
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

/** Whether an error means that the database is not reachable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as { code?: string; name?: string; message?: string };
  return (
    (code !== undefined && UNAVAILABLE_CODES.has(code)) ||
    name === 'KnexTimeoutError' ||
    /Connection terminated|is not queryable|timeout expired|Query read timeout|timeout exceeded when trying to connect/i.test(message ?? '')
  );
}

/**
 * Returns retry options that repeat work while the database is not reachable, until `signal` is
 * aborted.
 */
export function whileDatabaseUnavailable(signal: AbortSignal): RetryOptions {
  return { while: isDatabaseUnavailable, until: signal, backoff: { firstMs: 100, maxMs: 2000 }, background: true };
}

/** Whether Postgres ended a transaction because of a deadlock or a serialization failure. */
export function isContended(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '40P01' || code === '40001';
}

/** Whether a unique constraint refused a row. `constraint`: its name. Default: any. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  const { code, constraint: broken } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || broken === constraint);
}

/** Whether a referenced row does not exist, such as a workspace that was just deleted. */
export function isMissingReference(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === '23503';
}

/** Whether Postgres refuses a text value, such as one with NUL or a lone surrogate. */
export function isUnstorableText(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '22021' || code === '22P05' || code === '22P02';
}
