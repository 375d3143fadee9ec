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
  ['text that is not HTTP', 'hello?\r\n\r\n', 'BAD_REQUEST'],
  ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 'BAD_REQUEST'],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'BAD_REQUEST'],
  ['a chunk without a size', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'BAD_REQUEST'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 'BAD_REQUEST'],
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}Host: y\r\n\r\n`, 'BAD_REQUEST'],
  ['the same host twice', `GET / HTTP/1.1\r\n${HOST}hOST: x\r\n\r\n`, 'BAD_REQUEST'],
  ['two hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${HOST}${HOST}\r\n`, 'BAD_REQUEST'],
  ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 'BAD_REQUEST'],
  ['a host with user information', 'GET / HTTP/1.1\r\nHost: a@x\r\n\r\n', 'BAD_REQUEST'],
  ['a list of hosts', 'GET / HTTP/1.1\r\nHost: x, y\r\n\r\n', 'BAD_REQUEST'],
  ['two credentials', `GET / HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`, 'BAD_REQUEST'],
  ['one credential twice', `GET / HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\nauthorization: Bearer a\r\n\r\n`, 'BAD_REQUEST'],
  ['two types', `POST / HTTP/1.1\r\n${HOST}Content-Type: a/b\r\nContent-Type: a/c\r\nContent-Length: 1\r\n\r\na`, 'BAD_REQUEST'],
  ['two origins', `POST / HTTP/1.1\r\n${HOST}Origin: http://x\r\nOrigin: http://y\r\n\r\n`, 'BAD_REQUEST'],
  ['the same length twice', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, 'BAD_REQUEST'],
  ['a list of lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1, 1\r\n\r\na`, 'BAD_REQUEST'],
  ['a length with a sign', `POST / HTTP/1.1\r\n${HOST}Content-Length: +1\r\n\r\na`, 'BAD_REQUEST'],
  ['a length and chunks', `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'BAD_REQUEST'],
  ['chunks and a length', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`, 'BAD_REQUEST'],
  ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'BAD_REQUEST'],
  ['chunks twice', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'BAD_REQUEST'],
  ['a content coding below chunked', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'BAD_REQUEST'],
  ['another coding', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n\r\n`, 'BAD_REQUEST'],
  ['an absolute URL with another host', `GET http://evil.example/ HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['an absolute URL with the host from Host', 'GET https://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n', 'BAD_REQUEST'],
  ['an absolute URL with this host', `GET http://x/ HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['a target with a fragment', `GET /a#b HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['a star with a method other than OPTIONS', `GET * HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['a folded line', `GET / HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`, 'BAD_REQUEST'],
  ['bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n', 'BAD_REQUEST'],
  ['one bare line feed', 'GET / HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n', 'BAD_REQUEST'],
  ['a bare carriage return', `GET / HTTP/1.1\r\n${HOST}X-A: b\rc\r\n\r\n`, 'BAD_REQUEST'],
  ['NUL in a header', `GET / HTTP/1.1\r\n${HOST}X-A: b\0c\r\n\r\n`, 'BAD_REQUEST'],
  ['NUL in the target', `GET /\0 HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['a space before the colon', `GET / HTTP/1.1\r\nHost : x\r\n\r\n`, 'BAD_REQUEST'],
  ['an unsupported version', 'GET / HTTP/2.0\r\n\r\n', 'BAD_REQUEST'],
  ['HTTP/0.9', 'GET / HTTP/0.9\r\n\r\n', 'BAD_REQUEST'],
  ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 'BAD_REQUEST'],
  ['headers that are too large', `GET / HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'HEADERS_TOO_LARGE'],
] as const)('%s is answered in the error envelope with a request id, and the connection is closed', async (_, sent, code) => {
  const [head, body] = (await exchange(sent)).split('\r\n\r\n') as [string, string];
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${STATUS[code]} `));
  expect(head).toMatch(/^X-Request-Id: [\w-]{36}$/im);
  expect(head).toMatch(/^Connection: close$/im);
  expect(head).toMatch(/^Content-Type: application\/json/im);
  expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/\.$/), code });
});

test('a bad request after a good one on the same connection also gets an answer', async () => {
  const text = await exchange(`GET / HTTP/1.1\r\n${HOST}\r\n`, 'FLY\r\n\r\n');
  expect(text).toMatch(/served/);
  expect(text).toMatch(/HTTP\/1\.1 400 Bad Request[\s\S]*"code":"BAD_REQUEST"/);
});

test('a bad request adds nothing to an answer in progress', async () => {
  const text = await exchange(`GET /midway HTTP/1.1\r\n${HOST}\r\n`, 'FLY\r\n\r\n');
  expect(text).toMatch(/begun$/);
  expect(text).not.toContain('BAD_REQUEST');
});

test('an unknown Expect header is ignored', async () => {
  expect(await exchange(`GET / HTTP/1.1\r\n${HOST}Expect: miracles\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 OK[\s\S]*served/,
  );
});

test('HTTP/1.0 needs no Host header', async () => {
  expect(await exchange('GET / HTTP/1.0\r\n\r\n')).toMatch(/200 OK[\s\S]*served/);
});

test('the error names the repeated header', async () => {
  const text = await exchange(`GET / HTTP/1.1\r\n${HOST}Authorization: a\r\nAuthorization: b\r\n\r\n`);
  expect(text).toContain('"This is not a valid HTTP request: it has more than one Authorization header."');
});

test.each(['x', 'x:80', 'EXAMPLE.com.', '127.0.0.1:1', '[::1]:8080', 'my_host'])('the host %s is valid', async (host) => {
  expect(await exchange(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 OK/);
});

describe('slow requests', () => {
  let hasty: Server;
  beforeAll(async () => {
    const times = { headersMs: 300, requestMs: 700, idleMs: 200 };
    hasty = openServer(
      (request, response) => {
        if (request.url === '/early') return void response.writeHead(401).end('answered early');
        request
          .on('error', () => {})
          .resume()
          .on('end', () => response.end('served'));
      },
      openLogger('silent'),
      times,
    );
    hasty.listen(0, '127.0.0.1');
    await once(hasty, 'listening');
  });
  afterAll(() => {
    hasty.close();
    hasty.closeAllConnections();
  });

  /** Tries again if the answer is lost, because a reset during a transfer can drop the answer. */
  async function trickle(first: string, more: string): Promise<string> {
    for (;;) {
      const { text, isReset } = await trickleOnce(first, more);
      if (text !== '' || !isReset) return text;
    }
  }

  async function trickleOnce(first: string, more: string): Promise<{ text: string; isReset: boolean }> {
    const socket = connect((hasty.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    let isReset = false;
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => {
      isReset = true;
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(first);
    const timer = setInterval(() => socket.write(more), 50);
    await closed;
    clearInterval(timer);
    return { text, isReset };
  }

  test.each([
    ['only line breaks', '', '\r\n'],
    ['a request line', 'GET /', 'a'],
    ['headers', `GET / HTTP/1.1\r\n${HOST}`, 'X-A: b\r\n'],
    ['a header that does not end', `GET / HTTP/1.1\r\n${HOST}X-A: `, 'b'],
    ['a body', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n`, 'a'],
    ['chunks', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
  ])('slow requests get REQUEST_TIMEOUT and are closed: %s', async (_, first, more) => {
    expect(await trickle(first, more)).toMatch(/^HTTP\/1\.1 408 Request Timeout[\s\S]*"code":"REQUEST_TIMEOUT"\}$/);
  });

  test.each([
    [
      'the body of a request that already has its answer',
      `POST /early HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n`,
      'a',
      /^HTTP\/1\.1 401 [\s\S]*answered early\r\n0\r\n\r\n$/,
    ],
    ['line breaks after an answer', `GET / HTTP/1.1\r\n${HOST}\r\n`, '\r\n', /^HTTP\/1\.1 200 [\s\S]*served$/],
    ['the next request', `GET / HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n`, 'X-A: b\r\n', /served[\s\S]*REQUEST_TIMEOUT/],
  ])('slow requests are closed after the expected answers: %s', async (_, first, more, expected) => {
    expect(await trickle(first, more)).toMatch(expected);
  });
});
