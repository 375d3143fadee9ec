import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import type { Outbound } from '../../domain/outbound.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './outbound-certificate.ts';

const open: { close(): unknown }[] = [];

/** An HTTP client that can call this machine over HTTP. */
export function local(): Outbound {
  return opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }));
}

/** Registers something for `closeAll`, and returns it. */
export function opened<Closable extends { close(): unknown }>(closable: Closable): Closable {
  open.push(closable);
  return closable;
}

/** Starts an HTTP server and returns its URL. */
export async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const { port } = await listen(createHttpServer(handle as RequestListener));
  return `http://127.0.0.1:${port}`;
}

/** Starts an HTTPS server for the name `gateway.test` and returns its port. */
export async function serveTls(handle: RequestListener): Promise<number> {
  return (await listen(createHttpsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, handle))).port;
}

/** Starts a TCP server that calls `connected` on first data. Returns its URL. */
export async function serveRaw(connected: (socket: import('node:net').Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    opened({ close: () => socket.destroy() });
    socket.on('error', () => {});
    socket.once('data', () => connected(socket));
  });
  return `http://127.0.0.1:${(await listen(server)).port}`;
}

/** Lets a server listen on a free port of this machine. */
export async function listen(server: Server & { closeAllConnections?(): void }): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port, address, family } = server.address() as AddressInfo;
  opened({
    close: () => {
      server.closeAllConnections?.();
      return server.close();
    },
  });
  return { port, address, family };
}

/** Closes everything that `opened` has registered. */
export async function closeAll(): Promise<void> {
  for (const one of open.splice(0)) await one.close();
}
