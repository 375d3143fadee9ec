import { Client, Connection, type ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** Channels reconnect within about a second. By default, they may wait two minutes. */
const CONNECTION: ConnectionOptions = {
  connectTimeout: 1000,
  channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1000 },
  interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts: 3 }))],
};

/** Opens a client that connects on its first call. */
export function openClient(address: string, namespace: string): Client {
  return new Client({ namespace, connection: Connection.lazy({ address, ...CONNECTION }) });
}

interface Use {
  client: Client;
  calls: number;
  hasAnswered: boolean;
}

/**
 * Holds the current Temporal client. A replaced client is closed after its last call in flight: a
 * retry on a closed connection throws an error that no caller can catch.
 */
export class TemporalClients {
  readonly #open: () => Client;
  #current: Use | undefined;
  #isClosed = false;

  constructor(open: () => Client) {
    this.#open = open;
  }

  /** Calls through the current client. The call fails after `deadlineMs`. */
  call<Value>(deadlineMs: number, call: (client: Client) => Promise<Value>): Promise<Value> {
    this.#current ??= this.#newUse();
    return this.#attempt(this.#current, deadlineMs, call);
  }

  /**
   * Makes a call with a new client, which becomes current if the call succeeds. The current client
   * may be connected to a server that is gone.
   */
  async probe(deadlineMs: number, call: (client: Client) => Promise<void>): Promise<void> {
    const use = this.#newUse();
    await this.#attempt(use, deadlineMs, async (client) => {
      await call(client);
      if (!this.#isClosed) this.#replace(use);
    });
  }

  /** The next call opens a new client. */
  discard(): void {
    this.#replace(undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const last = this.#current;
    this.#current = undefined;
    if (last) await closeUnused(last);
  }

  #newUse(): Use {
    return { client: this.#open(), calls: 0, hasAnswered: false };
  }

  #replace(use: Use | undefined): void {
    const last = this.#current;
    this.#current = use;
    if (last) void closeUnused(last);
  }

  async #attempt<Value>(use: Use, deadlineMs: number, call: (client: Client) => Promise<Value>): Promise<Value> {
    use.calls += 1;
    try {
      const value = await use.client.withDeadline(Date.now() + deadlineMs, () => call(use.client));
      use.hasAnswered = true;
      return value;
    } catch (error) {
      // A connection that failed on first use stays failed, so the next call opens a new client.
      if (!use.hasAnswered && this.#current === use) this.#current = undefined;
      throw error;
    } finally {
      use.calls -= 1;
      if (use !== this.#current) void closeUnused(use);
    }
  }
}

async function closeUnused({ client, calls }: Use): Promise<void> {
  if (calls === 0) await client.connection.close();
}
