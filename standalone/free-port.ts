import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, SetupError } from '../infra/config.ts';

/** Returns the wanted port of 127.0.0.1, or else another free port. 0: any free port. */
export async function freePort(wanted: number): Promise<number> {
  if (wanted === 0) return tryListen(0, '127.0.0.1');
  for (let port = wanted; port < Math.min(wanted + 1000, 65_536); port += 1) {
    try {
      return await tryListen(port, '127.0.0.1');
    } catch {
      // taken or not permitted: try the next one
    }
  }
  return tryListen(0, '127.0.0.1');
}

const MAX_STARTS = 10;

/** Starts a program on free ports. Retries if another program takes a port first. */
export async function startOnFreePorts<Ports extends [number, ...number[]], Started>(
  choose: () => Promise<Ports>,
  start: (...ports: Ports) => Promise<Started>,
): Promise<Started> {
  for (let count = 1; ; count += 1) {
    const ports = await choose();
    try {
      return await start(...ports);
    } catch (error) {
      const free = await Promise.all(ports.map(async (port) => (await freePort(port)) === port));
      if (count === MAX_STARTS || free.every(Boolean)) throw error;
    }
  }
}

/**
 * Returns the configured port of the API; for port 0, any free port. Throws SetupError when the
 * port is not available.
 */
export async function chooseApiPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  try {
    return await tryListen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new SetupError(
        `Port ${port} on ${host} is taken by another program. Stop that one, or choose another port, such as PORT=${port + 1} npm start.`,
      );
    if (code === 'EACCES')
      throw new SetupError(`Port ${port} is not open to this user. Choose one above 1023, such as PORT=8080 npm start.`);
    throw new SetupError(
      `The API cannot listen on HOST=${host}, PORT=${port} (${code}). Set HOST to an address of this machine, such as 127.0.0.1.`,
    );
  }
}

async function tryListen(port: number, host: string): Promise<number> {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : port;
}
