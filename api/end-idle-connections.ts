import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes connections that have had no open request for `idleMs`. Node's own keep-alive timeout does
 * not suffice, because any received byte stops this timeout.
 * Call the returned function with each response.
 */
export function endIdleConnections(server: Server, idleMs: number): (response: ServerResponse) => void {
  const connections = new Map<Socket, { requests: number; idleSince: number }>();
  server.on('connection', (socket) => {
    connections.set(socket, { requests: 0, idleSince: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const sweep = setInterval(() => {
    const oldest = performance.now() - idleMs;
    for (const [socket, { requests, idleSince }] of connections) if (requests === 0 && idleSince < oldest) socket.destroy();
  }, SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));

  return (response) => {
    const connection = connections.get(response.req.socket);
    if (!connection) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      connection.idleSince = performance.now();
    });
  };
}

const SWEEP_MS = 1_000;
