import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from './logger.ts';

/** Waiting for something that another process does, without asking over and over: Postgres LISTEN on one connection of its own. */
export interface Notices {
  /** Answers what `check` answers as soon as that is not undefined, asking again at each notice of this payload; undefined when the time is up. */
  waitFor<Value>(channel: string, payload: string, timeoutMs: number, check: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** Calls `heard` with every notice of a channel, and without one whenever listening begins (again), since something may have been missed. Answers how to stop. */
  subscribe(channel: string, heard: (payload?: string) => void): () => void;
  /** The same promise, but rejected as by a database that is away when the connection on which it listens is lost meanwhile, or cannot be had. */
  unlessLost<Value>(work: Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

export function openNotices(databaseUrl: string, logger: Logger): Notices {
  const waiting = new Map<string, Set<() => void>>();
  const wakeAll = () => {
    for (const wakers of waiting.values()) for (const wake of wakers) wake();
  };
  const subscribers = new Map<(payload?: string) => void, string>();
  const unlessLost = new Set<(error: Error) => void>();
  let connecting: Promise<pg.Client> | undefined;
  /** The channels that the present connection listens on, or is about to. */
  const listening = new Map<string, Promise<unknown>>();
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
      disconnect();
      wakeAll();
      for (const giveUp of unlessLost) giveUp(new Error('Connection terminated unexpectedly'));
      for (const [heard, channel] of subscribers) void begin(channel, heard);
    };
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ channel, payload }) => {
      for (const wake of waiting.get(`${channel}/${payload}`) ?? []) wake();
      for (const [heard, subscribed] of subscribers) if (subscribed === channel) heard(payload ?? '');
    });
    await client.connect();
    isUp = true;
    return client;
  };

  const disconnect = () => {
    connecting = undefined;
    listening.clear();
  };

  const listen = async (channel: string) => {
    connecting ??= connect();
    const mine = connecting;
    const known = listening.get(channel) ?? mine.then((client) => client.query(`listen ${pg.escapeIdentifier(channel)}`));
    listening.set(channel, known);
    try {
      await known;
    } catch (error) {
      if (connecting === mine) disconnect();
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
    async unlessLost(work) {
      const lost = Promise.withResolvers<never>();
      unlessLost.add(lost.reject);
      work.catch(() => {}); // the connection may have been lost first
      try {
        connecting ??= connect();
        await connecting;
        return await Promise.race([work, lost.promise]);
      } catch (error) {
        lost.promise.catch(() => {});
        throw error;
      } finally {
        unlessLost.delete(lost.reject);
      }
    },
    async close() {
      isClosed = true;
      const client = await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
