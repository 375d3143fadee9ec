import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from './logger.ts';

/** Waiting for something that another process does, without asking over and over: Postgres LISTEN on one connection of its own. */
export interface Notices {
  /** Answers what `check` answers as soon as that is not undefined, asking again at each notice of this payload; undefined when the time is up. */
  waitFor<Value>(channel: string, payload: string, timeoutMs: number, check: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** Calls `heard` at every notice of a channel, and whenever listening begins (again), since something may have been missed. Answers how to stop. */
  subscribe(channel: string, heard: () => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

export function openNotices(databaseUrl: string, logger: Logger): Notices {
  const waiting = new Map<string, Set<() => void>>();
  const wakeAll = () => {
    for (const wakers of waiting.values()) for (const wake of wakers) wake();
  };
  const subscribers = new Map<() => void, string>();
  let connecting: Promise<pg.Client> | undefined;
  let isClosed = false;

  const connect = async () => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'gateway-notices',
      connectionTimeoutMillis: 1500,
      keepAlive: true,
    });
    let isUp = false;
    const lost = (error?: Error) => {
      if (error) logger.warn({ error: error.message }, 'notices: connection lost');
      if (!isUp) return; // who waits for the connection hears of it there
      isUp = false;
      connecting = undefined;
      wakeAll();
      for (const [heard, channel] of subscribers) void begin(channel, heard);
    };
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ channel, payload }) => {
      for (const wake of waiting.get(`${channel}/${payload}`) ?? []) wake();
      for (const [heard, subscribed] of subscribers) if (subscribed === channel) heard();
    });
    await client.connect();
    isUp = true;
    return client;
  };

  const listen = async (channel: string) => {
    connecting ??= connect();
    const mine = connecting;
    try {
      await (await mine).query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      if (connecting === mine) connecting = undefined;
      void mine.then((client) => client.end()).catch(() => {});
      throw error;
    }
  };

  /** Listens for a subscriber, again and again until it works. */
  const begin = async (channel: string, heard: () => void): Promise<void> => {
    while (!isClosed && subscribers.has(heard)) {
      try {
        await listen(channel);
        return heard();
      } catch {
        await delay(RECONNECT_MS, undefined, { ref: false });
      }
    }
  };

  return {
    subscribe(channel, heard) {
      subscribers.set(heard, channel);
      void begin(channel, heard);
      return () => subscribers.delete(heard);
    },
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
      isClosed = true;
      const client = await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
