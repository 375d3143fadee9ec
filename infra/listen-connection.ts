import pLimit, { type LimitFunction } from 'p-limit';
import pg from 'pg';
import type { Logger } from './logger.ts';

interface Listeners {
  onNotification(channel: string, payload: string): void;
  /** Called once when an established connection is lost or closed. */
  onLost(): void;
}

interface Connection {
  client: pg.Client;
  /** A pg client must not get a second query before the first ends. */
  oneByOne: LimitFunction;
}

/**
 * The Postgres connection on which a process listens. It connects on first use. After a loss, the
 * caller must call `listen` for each channel again.
 */
export class ListenConnection {
  readonly #databaseUrl: string;
  readonly #logger: Logger;
  readonly #listeners: Listeners;
  #connecting: Promise<Connection> | undefined;
  /** Channels of the present connection, with their LISTEN queries. */
  readonly #channels = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(databaseUrl: string, logger: Logger, listeners: Listeners) {
    this.#databaseUrl = databaseUrl;
    this.#logger = logger;
    this.#listeners = listeners;
  }

  /** Resolves when the connection listens. Rejects if it cannot. */
  async listen(channel: string): Promise<void> {
    const connecting = this.#connect();
    const listening =
      this.#channels.get(channel) ??
      connecting.then(({ client, oneByOne }) => oneByOne(() => client.query(`listen ${pg.escapeIdentifier(channel)}`)));
    this.#channels.set(channel, listening);
    try {
      await listening;
    } catch (error) {
      if (this.#connecting === connecting) this.#forget();
      void connecting.then(({ client }) => client.end()).catch(() => {});
      throw error;
    }
  }

  async connected(): Promise<void> {
    await this.#connect();
  }

  /** Closes the connection. Later uses reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connecting?.catch(() => undefined);
    await connection?.client.end();
  }

  #connect(): Promise<Connection> {
    if (this.#connecting) return this.#connecting;
    if (this.#isClosed) return Promise.reject(new Error('the notification connection is closed'));
    const connecting = this.#open();
    this.#connecting = connecting;
    connecting.catch(() => {
      if (this.#connecting === connecting) this.#forget();
    });
    return connecting;
  }

  async #open(): Promise<Connection> {
    const client = new pg.Client({
      connectionString: this.#databaseUrl,
      application_name: 'gateway-notices',
      connectionTimeoutMillis: 1500,
      keepAlive: true,
    });
    let isUp = false;
    const lost = (error?: Error) => {
      if (error) this.#logger.warn({ error: error.message }, 'postgres notification channel disconnected, reconnecting');
      if (!isUp) return; // `connect` rejects instead
      isUp = false;
      this.#forget();
      this.#listeners.onLost();
    };
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ channel, payload = '' }) => this.#listeners.onNotification(channel, payload));
    await client.connect();
    isUp = true;
    return { client, oneByOne: pLimit(1) };
  }

  #forget(): void {
    this.#connecting = undefined;
    this.#channels.clear();
  }
}
