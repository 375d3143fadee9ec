import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COMPILE_CACHE } from '../../standalone/gateway-processes.ts';
import { openTestBed } from './test-bed.ts';

declare global {
  var closeTestBed: (() => Promise<void>) | undefined;
}

/**
 * Opens the test bed in Jest's main process. Test files request its parts over HTTP at TEST_BED_URL
 * (see ask-test-bed.ts).
 */
export default async function globalSetup(): Promise<void> {
  const { bed, close } = openTestBed();
  const parts = new Map(Object.entries(bed));
  const server = createServer(async (request, response) => {
    // Connections are not kept alive. Test files send few requests, so a server could close an idle
    // connection just before the next request.
    response.setHeader('connection', 'close');
    try {
      response.end(JSON.stringify(await parts.get(request.url?.slice(1) ?? '')?.()));
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Without this cache, every process that a test starts would recompile the whole service.
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE;
  process.env.TEST_BED_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.closeTestBed = async () => {
    server.close();
    server.closeAllConnections();
    await close();
  };
}
