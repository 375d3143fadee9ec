import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { retryAfterOutage } from '../../demo/retry-after-outage.ts';

let server: Server | undefined;
afterEach(() => close());

test('during an outage, a request is repeated and the outage is reported once', async () => {
  const port = await listen(0);
  const said: string[] = [];
  const asked: string[] = [];
  await close();
  const answer = retryAfterOutage(
    `http://127.0.0.1:${port}`,
    (line) => {
      said.push(line);
      if (said.length === 1) void listen(port);
    },
    async () => {
      asked.push('things');
      return (await fetch(`http://127.0.0.1:${port}/things`)).status;
    },
  );
  expect(await answer).toBe(200);
  expect([said, asked.length]).toEqual([['The service is unavailable. Waiting until it is back …', 'It is back.'], 2]);
});

test('a request that fails because a dependency is briefly unavailable is repeated', async () => {
  const port = await listen(0);
  let count = 0;
  const ask = async () => {
    count += 1;
    if (count === 1) throw new Error('UNAVAILABLE: no database');
    return 'done';
  };
  expect(await retryAfterOutage(`http://127.0.0.1:${port}`, () => {}, ask)).toBe('done');
});

test.each([new Error('refused'), new TypeError('undefined is not a function')])(
  'while the service is available, the error "%s" is thrown to the caller',
  async (error) => {
    const port = await listen(0);
    await expect(
      retryAfterOutage(
        `http://127.0.0.1:${port}`,
        () => {},
        () => Promise.reject(error),
      ),
    ).rejects.toBe(error);
  },
);

async function listen(port: number): Promise<number> {
  server = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(): Promise<void> {
  if (!server) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  server = undefined;
}
