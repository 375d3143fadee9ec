import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A TCP proxy between a process and a server, for simulated outages. */
export interface Wire {
  port: number;
  /** Breaks open connections and refuses new ones. */
  cut(): void;
  /** Accepts connections but forwards nothing. `restore` then breaks all connections. */
  hang(): void;
  /** Accepts connections but forwards nothing until `restore`. Nothing is lost. */
  freeze(): void;
  /** Forwards single bytes with a pause after each. */
  drip(): void;
  restore(): void;
  close(): Promise<void>;
}

const DRIP_MS = 50;

export async function aWire(target: { host: string; port: number }): Promise<Wire> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'hang' | 'freeze' | 'drip' = 'open';
  let restored = Promise.withResolvers<void>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    return socket;
  };
  const isStopped = () => state === 'hang' || state === 'freeze';
  const forward = async (from: Socket, to: Socket) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let sent = 0; sent < chunk.length; ) {
        if (isStopped()) await restored.promise;
        if (to.destroyed) return;
        const part = state === 'drip' ? chunk.subarray(sent, sent + 1) : chunk.subarray(sent);
        if (!to.write(part)) await once(to, 'drain');
        sent += part.length;
        if (state === 'drip') await delay(DRIP_MS);
      }
    }
    to.end();
  };
  const server = createServer(async (incoming) => {
    keep(incoming);
    if (state === 'cut') return incoming.destroy();
    if (isStopped()) await restored.promise;
    if (incoming.destroyed) return;
    const outgoing = keep(connect(target.port, target.host));
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const)
      forward(from, to).catch(() => to.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const become = (next: typeof state) => {
    const isOver = isStopped();
    state = next;
    if (!isOver) return;
    restored.resolve();
    restored = Promise.withResolvers();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      become('cut');
      breakAll();
    },
    hang: () => become('hang'),
    freeze: () => become('freeze'),
    drip: () => become('drip'),
    restore: () => {
      const breaks = state === 'hang' || state === 'cut';
      if (breaks) breakAll();
      become('open');
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
