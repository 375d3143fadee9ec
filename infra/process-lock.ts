import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { retry } from './concurrency/retry.ts';
import type { Logger } from './logger.ts';

/**
 * Shows other processes that this process is alive. Postgres releases the advisory lock when the
 * process dies.
 */
export interface ProcessLock {
  /**
   * Returns the number of the lock, random per process. Null if the lock is not held within half a
   * second: other processes then treat this process as dead.
   */
  number(): Promise<number | null>;
  close(): Promise<void>;
}

const RETRY_MS = 200;
const PATIENCE_MS = 500;

/** A process that vanishes, as in a power failure, counts as dead after 30 s. */
const KEEPALIVE = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

export function openProcessLock(databaseUrl: string, logger: Logger): ProcessLock {
  const number = randomInt(2 ** 48 - 1);
  const closing = new AbortController();
  let holding: Promise<void> | undefined;
  let isHeld = false;
  let taken = Promise.withResolvers<void>();

  const listeners = {
    taken: () => {
      isHeld = true;
      taken.resolve();
    },
    lost: () => {
      if (isHeld) taken = Promise.withResolvers();
      isHeld = false;
    },
  };
  const onRetry = (error: unknown) => logger.warn({ error: String(error) }, 'process lock not held, retrying');
  const hold = async () => {
    const holdOnceMore = () => holdOnce(databaseUrl, { number, signal: closing.signal, ...listeners });
    await retry({ until: closing.signal, backoff: { firstMs: RETRY_MS }, onRetry }, holdOnceMore).catch(() => {});
  };

  return {
    number: async () => {
      holding ??= hold();
      if (!isHeld) await Promise.race([taken.promise, delay(PATIENCE_MS, undefined, { ref: false })]);
      return isHeld ? number : null;
    },
    close: async () => {
      closing.abort();
      await holding;
    },
  };
}

interface Holding {
  number: number;
  signal: AbortSignal;
  taken(): void;
  lost(): void;
}

/** Resolves when `signal` is aborted. Rejects when the connection ends. */
async function holdOnce(databaseUrl: string, { number, signal, taken, lost }: Holding): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'gateway-process',
    connectionTimeoutMillis: 1500,
    keepAlive: true,
    options: KEEPALIVE,
  });
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {}); // the connection may fail before anything waits for its end
  client.on('error', ended.reject).on('end', () => ended.reject(new Error('the connection ended')));
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  try {
    await client.connect();
    // Waits, because a process that checks whether the lock is free takes the lock for a moment.
    await client.query('select pg_advisory_lock($1)', [number]);
    taken();
    await ended.promise;
  } finally {
    lost();
    await client.end().catch(() => {});
  }
}
