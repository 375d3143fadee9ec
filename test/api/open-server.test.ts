import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { openServer } from '../../api/open-server.ts';
import { STATUS } from '../../domain/errors.ts';
import { openLogger } from '../../infra/logger.ts';

let server: Server;
beforeAll(async () => {
  const logger = openLogger('silent');
  server = openServer((request, response) => {
    if (request.url === '/midway') return void response.writeHead(200, { 'Content-Length': 100 }).write('begun');
    request.resume().on('end', () => response.end('served'));
  }, logger);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends bytes as they are; answers all that comes back until the server closes the connection. */
async function exchange(...parts: string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data;
    const next = parts.shift();
    if (next) socket.write(next);
  });
  socket.on('error', () => {});
  socket.write(parts.shift()!);
  await once(socket, 'close');
  return text;
}

const HOST = 'Host: x\r\n';

test.each([
  ['an unknown method', `FLY / HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['no HTTP at all', 'hello?\r\n\r\n', 'BAD_REQUEST'],
  ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 'BAD_REQUEST'],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'BAD_REQUEST'],
  ['a chunk of no size', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'BAD_REQUEST'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 'BAD_REQUEST'],
  ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['headers that are too large', `GET / HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'HEADERS_TOO_LARGE'],
] as const)('%s is answered in the envelope, with a request id, and the connection is closed', async (_, sent, code) => {
  const [head, body] = (await exchange(sent)).split('\r\n\r\n') as [string, string];
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${STATUS[code]} `));
  expect(head).toMatch(/^X-Request-Id: [\w-]{36}$/im);
  expect(head).toMatch(/^Connection: close$/im);
  expect(head).toMatch(/^Content-Type: application\/json/im);
  expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/\.$/), code });
});

test('what follows a good request on the same connection is answered as well', async () => {
  const text = await exchange(`GET / HTTP/1.1\r\n${HOST}\r\n`, 'FLY\r\n\r\n');
  expect(text).toMatch(/served/);
  expect(text).toMatch(/HTTP\/1\.1 400 Bad Request[\s\S]*"code":"BAD_REQUEST"/);
});

test('an answer that has begun is not mixed with another', async () => {
  const text = await exchange(`GET /midway HTTP/1.1\r\n${HOST}\r\n`, 'FLY\r\n\r\n');
  expect(text).toMatch(/begun$/);
  expect(text).not.toContain('BAD_REQUEST');
});

test('an expectation that nobody knows is left unmet, and the request served', async () => {
  expect(await exchange(`GET / HTTP/1.1\r\n${HOST}Expect: miracles\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 OK[\s\S]*served/,
  );
});

test('HTTP/1.0 needs no host', async () => {
  expect(await exchange('GET / HTTP/1.0\r\n\r\n')).toMatch(/200 OK[\s\S]*served/);
});
