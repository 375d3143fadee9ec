import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { KEEPS_IDLE } from './keeps-idle.ts';

export interface RoundRobinProxy {
  url: string;
  /** The number of requests that each target has answered. */
  answered: number[];
  close(): void;
}

/**
 * Opens a proxy that sends requests to the targets in turn, and skips a target that refuses the
 * connection. After a broken connection it answers 502, because the request may have taken effect.
 */
export async function openRoundRobinProxy(port: number, targets: readonly string[]): Promise<RoundRobinProxy> {
  const answered = targets.map(() => 0);
  const agent = new Agent({ keepAlive: false });
  let last = -1;
  const pass = (from: IncomingMessage, to: ServerResponse, body: Buffer, target: number, passed = 0): void => {
    const upstream = request(targets[target] + from.url!, { agent, method: from.method, headers: from.headers }, (answer) => {
      answered[target]!++;
      to.writeHead(answer.statusCode!, answer.headers);
      answer.on('error', () => to.destroy());
      answer.pipe(to);
    });
    upstream.on('error', (error) => {
      if (to.headersSent) to.destroy();
      else if ('code' in error && error.code === 'ECONNREFUSED' && passed < targets.length)
        pass(from, to, body, (target + 1) % targets.length, passed + 1);
      else to.writeHead(502).end();
    });
    upstream.end(body);
  };
  const server = createServer(KEEPS_IDLE, async (from, to) => {
    last = (last + 1) % targets.length;
    const target = last;
    pass(from, to, await buffer(from), target);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
