import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire that can be cut: stands between a process and a server that it needs. */
export interface Wire {
  port: number;
  /** Breaks what is open and refuses what comes. */
  cut(): void;
  /** Accepts and never answers. */
  hang(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function aWire(target: { host: string; port: number }): Promise<Wire> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'hang' = 'open';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    return socket;
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (state === 'cut') return incoming.destroy();
    if (state === 'hang') return;
    const outgoing = keep(connect(target.port, target.host));
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      breakAll();
    },
    hang: () => {
      state = 'hang';
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore: () => {
      state = 'open';
      breakAll();
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
