import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from './logger.ts';

/** How others can tell whether this process is still there: an advisory lock on a connection of its own, which Postgres lets go when the process dies. */
export interface ProcessLock {
  /**
   * The number of the lock, new with every process, while the lock is held: others would take a process for gone whose lock they find free. Null
   * where it cannot be had within half a second. It is taken when it is first asked for, and again when its connection is lost.
   */
  number(): Promise<number | null>;
  close(): Promise<void>;
}

const RETRY_MS = 200;
const PATIENCE_MS = 500;

/** Without a word of its end, as when a machine loses its power, a process counts as gone after half a minute. */
const KEEPALIVE = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

export function openProcessLock(databaseUrl: string, logger: Logger): ProcessLock {
  const number = randomInt(2 ** 48 - 1);
  const closing = new AbortController();
  let holding: Promise<void> | undefined;
  let isHeld = false;
  let taken = Promise.withResolvers<void>();

  const told = {
    taken: () => {
      isHeld = true;
      taken.resolve();
    },
    lost: () => {
      if (isHeld) taken = Promise.withResolvers();
      isHeld = false;
    },
  };
  const hold = async () => {
    while (!closing.signal.aborted) {
      await holdOnce(databaseUrl, { number, signal: closing.signal, ...told }).catch((error) =>
        logger.warn({ error: String(error) }, 'process lock: not held'),
      );
      await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
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

/** Takes the lock and keeps it until the connection ends or `signal` says so. */
async function holdOnce(databaseUrl: string, { number, signal, taken, lost }: Holding): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'gateway-process',
    connectionTimeoutMillis: 1500,
    keepAlive: true,
    options: KEEPALIVE,
  });
  const ended = Promise.withResolvers<void>();
  client.on('error', ended.reject).on('end', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  try {
    await client.connect();
    // Whoever looks whether it is held has it for that moment: this waits for them.
    await client.query('select pg_advisory_lock($1)', [number]);
    taken();
    await ended.promise;
  } finally {
    lost();
    await client.end().catch(() => {});
  }
}
