import type { MessagePort } from 'node:worker_threads';
import type { Outbound, OutboundRequest, OutboundStream } from '../../../domain/outbound.ts';

/**
 * A request of a thread. `isAuthorized`: the main thread adds the credentials, which the thread
 * never gets.
 */
export interface PortRequest extends Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'> {
  isAuthorized: boolean;
}

type ToMain = { id: number; request: PortRequest } | { id: number; isCanceled: true };
type Head = Pick<OutboundStream, 'status' | 'headers' | 'url'>;
type ToThread = { id: number } & ({ head: Head } | { chunk: Uint8Array } | { isEnd: true } | { failure: string });

/** The guarded HTTP client for a thread. Its requests go through a port to the main thread. */
export type PortOutbound = { stream(request: PortRequest & Pick<OutboundRequest, 'signal'>): Promise<OutboundStream> };

interface PortServer {
  send(request: PortRequest & { signal: AbortSignal }): ReturnType<Outbound['stream']>;
  /** A request of the thread failed. The thread itself gets only the message of the error. */
  onFailure(error: unknown): void;
}

/** Sends the requests of a thread until the port closes. */
export function serveOutbound(port: MessagePort, { send, onFailure }: PortServer): void {
  const running = new Map<number, AbortController>();
  const post = (message: ToThread) => port.postMessage(message);
  port.on('message', async (message: ToMain) => {
    const { id } = message;
    if ('isCanceled' in message) return running.get(id)?.abort();
    const stop = new AbortController();
    running.set(id, stop);
    try {
      const { body, ...head } = await send({ ...message.request, signal: stop.signal });
      post({ id, head });
      for await (const chunk of body) post({ id, chunk });
      post({ id, isEnd: true });
    } catch (error) {
      if (!stop.signal.aborted) onFailure(error);
      post({ id, failure: error instanceof Error ? error.message : 'The request failed.' });
    } finally {
      running.delete(id);
    }
  });
  port.on('close', () => {
    for (const stop of running.values()) stop.abort();
  });
}

/** Opens the client for a thread. `serveOutbound` needs the other port. */
export function openPortOutbound(port: MessagePort): PortOutbound {
  const exchanges = new Map<number, Exchange>();
  let last = 0;
  port.on('message', (message: ToThread) => exchanges.get(message.id)?.take(message));
  return {
    stream({ signal, ...request }) {
      last += 1;
      const id = last;
      const post = (message: ToMain) => port.postMessage(message);
      const exchange = new Exchange(() => {
        exchanges.delete(id);
        signal?.removeEventListener('abort', cancel);
      });
      const cancel = () => {
        post({ id, isCanceled: true });
        exchange.fail(new DOMException('The request was canceled.', 'AbortError'));
      };
      exchange.onCancel = cancel;
      exchanges.set(id, exchange);
      if (signal?.aborted) cancel();
      else post({ id, request });
      signal?.addEventListener('abort', cancel, { once: true });
      return exchange.answer;
    },
  };
}

/** A request and its answer, which arrives through the port in several messages. */
class Exchange {
  readonly #head = Promise.withResolvers<OutboundStream>();
  readonly #end: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  onCancel = () => {};

  constructor(end: () => void) {
    this.#end = end;
  }

  get answer(): Promise<OutboundStream> {
    return this.#head.promise;
  }

  take(message: ToThread): void {
    if ('failure' in message) this.fail(new Error(message.failure));
    else if ('chunk' in message) this.#controller?.enqueue(message.chunk);
    else if ('head' in message) this.#open(message.head);
    else {
      this.#controller?.close();
      this.#controller = undefined;
      this.#end();
    }
  }

  fail(error: Error): void {
    this.#head.reject(error);
    this.#controller?.error(error);
    this.#controller = undefined;
    this.#end();
  }

  #open(head: Head): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        this.onCancel();
      },
    });
    this.#head.resolve({ ...head, body });
  }
}
