import { retry } from './concurrency/retry.ts';
import { ListenConnection } from './listen-connection.ts';
import type { Logger } from './logger.ts';
import { Waiters } from './waiters.ts';

/** Notifications between processes: Postgres LISTEN and NOTIFY. */
export interface Notices {
  /**
   * Returns the first result of `check` that is not undefined. `check` runs now and at each
   * notification with this payload. Undefined after `timeoutMs`.
   */
  waitFor<Value>(
    channel: string,
    payload: string,
    timeoutMs: number,
    check: () => Promise<Value | undefined>,
    options?: WaitOptions,
  ): Promise<Value | undefined>;
  /**
   * Calls `onNotice` for each notification. Also calls it without a payload when listening starts,
   * because notifications may have been missed. Returns a function that unsubscribes.
   */
  subscribe(channel: string, onNotice: (payload?: string) => void): () => void;
  /**
   * Settles as `work` does. If the connection is lost first, rejects with an error for which
   * `isDatabaseUnavailable` is true.
   */
  unlessLost<Value>(work: Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

interface WaitOptions {
  /**
   * Called instead of the first `check`, once this process listens to the channel. It starts the
   * work that sends the notification, so that the notification cannot be missed.
   */
  begin?: (() => Promise<void>) | undefined;
  /**
   * Interval of further checks in ms, in case a notification is lost. Waiters of a process check at
   * the same moment, so they can share a statement.
   */
  recheckMs?: number | undefined;
}

interface Subscription {
  channel: string;
  onNotice: (payload?: string) => void;
  ended: AbortController;
}

const RECONNECT_MS = 500;

/** Connects on first use, and reconnects after a loss while there are subscriptions. */
export function openNotices(databaseUrl: string, logger: Logger): Notices {
  const waiters = new Waiters();
  const subscriptions = new Set<Subscription>();
  const rejections = new Set<(error: Error) => void>();
  const connection = new ListenConnection(databaseUrl, logger, {
    onNotification(channel, payload) {
      waiters.wake(keyOf(channel, payload));
      for (const subscription of subscriptions) if (subscription.channel === channel) subscription.onNotice(payload);
    },
    onLost() {
      waiters.wakeAll();
      for (const reject of rejections) reject(new Error('Connection terminated unexpectedly'));
      for (const subscription of subscriptions) void listenFor(subscription);
    },
  });

  const listenFor = async ({ channel, onNotice, ended: { signal } }: Subscription): Promise<void> => {
    const options = { until: signal, backoff: { firstMs: RECONNECT_MS }, background: true };
    const isListening = await retry(options, () => connection.listen(channel)).then(
      () => true,
      () => false,
    );
    if (isListening && !signal.aborted) onNotice();
  };

  return {
    subscribe(channel, onNotice) {
      const subscription = { channel, onNotice, ended: new AbortController() };
      subscriptions.add(subscription);
      void listenFor(subscription);
      return () => {
        subscriptions.delete(subscription);
        subscription.ended.abort();
      };
    },

    async waitFor(channel, payload, timeoutMs, check, { begin, recheckMs } = {}) {
      const deadline = Date.now() + timeoutMs;
      let beginning = begin;
      for (;;) {
        const leftMs = deadline - Date.now();
        const pauseMs = recheckMs === undefined ? leftMs : Math.min(leftMs, recheckMs - (Date.now() % recheckMs));
        const { woken, stop } = waiters.wait(keyOf(channel, payload), pauseMs);
        try {
          await connection.listen(channel);
          const value = beginning ? void (await beginning()) : await check();
          beginning = undefined;
          if (value !== undefined || Date.now() >= deadline) return value;
          await woken;
        } finally {
          stop();
        }
      }
    },

    async unlessLost(work) {
      const lost = Promise.withResolvers<never>();
      lost.promise.catch(() => {}); // `work` may settle first
      work.catch(() => {}); // the connection may be lost first
      rejections.add(lost.reject);
      try {
        await connection.connected();
        return await Promise.race([work, lost.promise]);
      } finally {
        rejections.delete(lost.reject);
      }
    },

    async close() {
      for (const { ended } of subscriptions) ended.abort();
      await connection.close();
    },
  };
}

function keyOf(channel: string, payload: string): string {
  return `${channel}/${payload}`;
}
