import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEPS_IDLE } from './keeps-idle.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A third party's server that records every request. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves as soon as at least this many requests have arrived. */
  has(count: number): Promise<Received[]>;
  /** Sets the answer to later requests. The default is status 200 with `{ "ok": true }`. */
  answerWith(answer: (request: Received) => { status: number; body?: string } | Promise<{ status: number; body?: string }>): void;
  close(): Promise<void>;
}

export async function aReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let answer: Parameters<Receiver['answerWith']>[0] = () => ({ status: 200, body: '{"ok":true}' });
  const server = createServer(KEEPS_IDLE, async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const item = { method: request.method!, path: request.url!, headers: request.headers, body };
    received.push(item);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    const { status, body: text = '' } = await answer(item);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  // The server must not keep Jest alive if a test fails before it closes its receiver.
  server.unref().on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    has: async (count) => {
      if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return received;
    },
    answerWith: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
