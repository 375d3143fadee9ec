import pg from 'pg';
import type { Logger } from './logger.ts';

/** Waiting for something that another process does, without asking over and over: Postgres LISTEN on one connection of its own. */
export interface Notices {
  /** Answers what `check` answers as soon as that is not undefined, asking again at each notice of this payload; undefined when the time is up. */
  waitFor<Value>(channel: string, payload: string, timeoutMs: number, check: () => Promise<Value | undefined>): Promise<Value | undefined>;
  close(): Promise<void>;
}

export function openNotices(databaseUrl: string, logger: Logger): Notices {
  const waiting = new Map<string, Set<() => void>>();
  const wakeAll = () => {
    for (const wakers of waiting.values()) for (const wake of wakers) wake();
  };
  let connecting: Promise<pg.Client> | undefined;

  const connect = async () => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'gateway-notices',
      connectionTimeoutMillis: 1500,
      keepAlive: true,
    });
    const lost = (error?: Error) => {
      if (error) logger.warn({ error: error.message }, 'notices: connection lost');
      connecting = undefined;
      wakeAll();
    };
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ channel, payload }) => {
      for (const wake of waiting.get(`${channel}/${payload}`) ?? []) wake();
    });
    await client.connect();
    return client;
  };

  const listen = async (channel: string) => {
    connecting ??= connect();
    try {
      await (await connecting).query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      connecting = undefined;
      throw error;
    }
  };

  return {
    async waitFor(channel, payload, timeoutMs, check) {
      const deadline = Date.now() + timeoutMs;
      const key = `${channel}/${payload}`;
      for (;;) {
        const noticed = Promise.withResolvers<void>();
        const wakers = waiting.get(key) ?? new Set();
        waiting.set(key, wakers.add(noticed.resolve));
        const timer = setTimeout(noticed.resolve, Math.max(0, deadline - Date.now()));
        try {
          await listen(channel);
          const value = await check();
          if (value !== undefined || Date.now() >= deadline) return value;
          await noticed.promise;
        } finally {
          clearTimeout(timer);
          wakers.delete(noticed.resolve);
          if (wakers.size === 0) waiting.delete(key);
        }
      }
    },
    async close() {
      const client = await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
