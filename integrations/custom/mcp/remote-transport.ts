import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { GatewayError } from '../../../domain/errors.ts';
import type { Fetch } from './guarded-fetch.ts';

/** Our error code for a stream that ended without the answer. */
export const STREAM_ENDED = -32_990;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/**
 * Streamable HTTP to an MCP server. A stream that ends without the answer fails its request
 * immediately with STREAM_ENDED; the SDK would wait for the time limit.
 */
export class RemoteTransport extends StreamableHTTPClientTransport {
  /** Errors of broken streams, by the id of the request. */
  readonly #failures: Map<string, unknown>;

  /**
   * `onStreamEnd`: if set, the stream of notifications is opened. Called when the stream has ended
   * or cannot be opened, except after status 405.
   */
  constructor(url: string, fetch: Fetch, { onStreamEnd }: { onStreamEnd?: (() => void) | undefined }) {
    const failures = new Map<string, unknown>();
    super(new URL(url), {
      async fetch(address, init = {}) {
        if (isListening(init)) return onStreamEnd ? listened(() => fetch(address, init), onStreamEnd) : new Response(null, REFUSED);
        const headers = new Headers(init.headers);
        const id = headers.get(REQUEST_ID);
        headers.delete(REQUEST_ID);
        const response = await fetch(address, { ...init, headers });
        return id === null ? response : watched(response, (error) => error !== undefined && failures.set(id, error));
      },
      // Redirects are followed by the guarded client, or not at all.
      redirectPolicy: 'follow',
      reconnectionOptions: { maxReconnectionDelay: 5_000, initialReconnectionDelay: 500, reconnectionDelayGrowFactor: 2, maxRetries: 3 },
    });
    this.#failures = failures;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options: SendOptions = {}): Promise<void> {
    if (Array.isArray(message) || !('method' in message) || !('id' in message)) return super.send(message, options);
    const { id } = message;
    const key = JSON.stringify(id);
    const onRequestStreamEnd = () => {
      options.onRequestStreamEnd?.();
      const failure = this.#failures.get(key);
      this.#failures.delete(key);
      const data = failure instanceof GatewayError ? failure.details : {};
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: STREAM_ENDED, message: 'The answer ended before it was complete.', data } });
    };
    return super.send(message, { ...options, onRequestStreamEnd, headers: { ...options.headers, [REQUEST_ID]: key } });
  }
}

/**
 * Tells our `fetch` the id of a request message. The header is removed before the message is sent.
 */
const REQUEST_ID = 'x-request-of-message';

const REFUSED = { status: 405, statusText: 'Method Not Allowed' };

/** Status 405 (no such stream) does not call `onEnd`. */
async function listened(open: () => Promise<Response>, onEnd: () => void): Promise<Response> {
  const response = await open().catch((error) => {
    onEnd();
    throw error;
  });
  if (!response.ok && response.status !== REFUSED.status) onEnd();
  return response.ok ? watched(response, onEnd) : response;
}

/** `error`: the body broke off. */
function watched(response: Response, onEnd: (error?: unknown) => void): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          onEnd();
        } catch (error) {
          onEnd(error);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

function isListening({ method, headers }: RequestInit = {}): boolean {
  return method === 'GET' && !new Headers(headers).has('last-event-id');
}
