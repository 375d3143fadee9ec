import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import type { Outbound } from '../../domain/outbound.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './outbound-certificate.ts';

const open: { close(): unknown }[] = [];

export function local(): Outbound {
  return opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }));
}

export function opened<Closable extends { close(): unknown }>(closable: Closable): Closable {
  open.push(closable);
  return closable;
}

export async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const { port } = await listen(createHttpServer(handle as RequestListener));
  return `http://127.0.0.1:${port}`;
}

export async function serveTls(handle: RequestListener): Promise<number> {
  return (await listen(createHttpsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, handle))).port;
}

export async function serveRaw(connected: (socket: import('node:net').Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    opened({ close: () => socket.destroy() });
    socket.on('error', () => {});
    socket.once('data', () => connected(socket));
  });
  return `http://127.0.0.1:${(await listen(server)).port}`;
}

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

export async function closeAll(): Promise<void> {
  for (const one of open.splice(0)) await one.close();
}
