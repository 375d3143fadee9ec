import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Outbound } from '../../domain/outbound.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './outbound-certificate.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

describe('a request', () => {
  test('goes out with method, path, query, headers and body, and brings back status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      const body = (await buffer(request)).toString();
      const { method, url, headers } = request;
      response
        .writeHead(207, { 'X-One': 'a', 'Set-Cookie': ['b=1', 'c=2'] })
        .end(JSON.stringify({ method, url, test: headers['x-test'], host: headers.host, body }));
    });
    const answer = await local().request({
      url: `${url}/p%20q?a=1&a=2#frag`,
      method: 'PATCH',
      headers: { 'X-Test': 'yes' },
      body: 'héllo',
    });

    expect(answer.status).toBe(207);
    expect(answer.headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b=1, c=2' });
    expect(answer.url).toBe(`${url}/p%20q?a=1&a=2`);
    expect(JSON.parse(answer.body.toString())).toEqual({
      method: 'PATCH',
      url: '/p%20q?a=1&a=2',
      test: 'yes',
      host: new URL(url).host,
      body: 'héllo',
    });
  });

  test('reaches a TLS server by its name at the vetted address, with the certificate checked against the name', async () => {
    const port = await serveTls((_, response) => response.end('secure'));
    const resolve = async () => ['127.0.0.1'];
    const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: ['127.0.0.0/8'] }, { resolve, ca: CERTIFICATE }));

    expect((await outbound.request({ url: `https://gateway.test:${port}/` })).body.toString()).toBe('secure');
    await expect(outbound.request({ url: `https://other.test:${port}/` })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('certificate'),
    });
    await expect(outbound.request({ url: `https://127.0.0.1:${port}/` })).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(local().request({ url: `https://localhost:${port}/` })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('certificate'),
    });
  });

  test.each([
    ['CONNECT', {}],
    ['TRACE', {}],
    ['get', {}],
    ['GET', { Host: 'internal' }],
    ['GET', { 'Transfer-Encoding': 'chunked' }],
    ['GET', { 'Content-Length': '5' }],
    ['GET', { Connection: 'upgrade' }],
    ['GET', { 'bad name': 'x' }],
    ['GET', { '': 'x' }],
    ['GET', { 'X-Split': 'a\r\nX-Other: b' }],
    ['GET', { 'X-Nul': 'a\u0000' }],
    ['GET', { 'X-Wide': '\u4e2d' }],
  ])('%s with the headers %j is refused before anything is sent', async (method, headers) => {
    await expect(local().request({ url: 'http://127.0.0.1:1/', method, headers: headers as Record<string, string> })).rejects.toMatchObject(
      { kind: 'invalid', code: 'ACTION_FAILED' },
    );
  });
});

describe('addresses', () => {
  test('without settings, a server on this machine is out of reach by every name of it', async () => {
    let hits = 0;
    const port = await serveTls((_, response) => {
      hits += 1;
      response.end();
    });
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: [] }, { ca: CERTIFICATE }));
    for (const host of ['127.0.0.1', '127.1', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      await expect(outbound.request({ url: `https://${host}:${port}/` })).rejects.toMatchObject({ kind: 'blocked' });
    }
    expect(hits).toBe(0);
  });

  test.each([[['10.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:8.8.8.8']], [['fd00::1']], [[]], [['not an address']]])(
    'a name that resolves to %j is blocked, and the sentence does not say to what it resolves',
    async (addresses) => {
      const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: [] }, { resolve: async () => addresses }));
      const error = await outbound.request({ url: 'https://rebind.test/' }).catch((error) => error);
      expect(error).toMatchObject({ kind: 'blocked', message: 'rebind.test is not a public address, so it may not be called.' });
    },
  );

  test('a name that turns private after its first answer gains nothing: one resolution, and the connection goes to what it said', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const url = await serve((_, response) => response.setHeader('Connection', 'close').end('here'));
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => answers[asked++]! }));
    const rebinding = `http://rebind.test:${new URL(url).port}/`;

    expect((await outbound.request({ url: rebinding })).body.toString()).toBe('here');
    expect(asked).toBe(1);
    await expect(outbound.request({ url: rebinding })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('of a name with configured and other addresses only the configured ones are called', async () => {
    const url = await serve((_, response) => response.end('configured'));
    const outbound = opened(
      openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => ['10.0.0.1', '127.0.0.1'] }),
    );
    expect((await outbound.request({ url: `http://mixed.test:${new URL(url).port}/` })).body.toString()).toBe('configured');
  });

  test('the next address is tried when one does not accept the connection', async () => {
    const url = await serve((_, response) => response.end('second'));
    const outbound = opened(
      openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => ['127.0.0.99', '127.0.0.1'] }),
    );
    expect((await outbound.request({ url: `http://two.test:${new URL(url).port}/` })).body.toString()).toBe('second');
  });

  test('public names are called on port 443 only, unless plain HTTP is allowed', async () => {
    const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: ['10.0.0.0/8'] }, { resolve: async () => ['8.8.8.8'] }));
    await expect(outbound.request({ url: 'https://public.test:8443/' })).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringContaining('443'),
    });
  });
});

describe('redirects', () => {
  test('are answers by default', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: '/next' }).end('moved'));
    expect(await local().request({ url })).toMatchObject({ status: 302, headers: { location: '/next' } });
  });

  test('to a private address, another scheme or with credentials are blocked at the hop', async () => {
    for (const location of [
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
      '//2852039166/',
      'http://u:p@127.0.0.1/',
    ]) {
      const url = await serve((_, response) => response.writeHead(302, { Location: location }).end());
      await expect(local().request({ url, redirects: 5 })).rejects.toMatchObject({ kind: 'blocked' });
    }
  });

  test('to a name that resolves to a private address are blocked at the hop', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: 'http://inside.test/' }).end());
    const resolve = async (name: string) => (name === 'inside.test' ? ['192.168.0.1'] : ['127.0.0.1']);
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve }));
    await expect(outbound.request({ url: `http://outside.test:${new URL(url).port}/`, redirects: 5 })).rejects.toMatchObject({
      kind: 'blocked',
    });
  });

  test('within an origin keep every header; another origin gets those alone that say what answer is wanted', async () => {
    const echo = (request: IncomingMessage, response: ServerResponse) => response.end(JSON.stringify(request.headers));
    const elsewhere = await serve(echo);
    const url = await serve((request, response) => {
      if (request.url === '/same') echo(request, response);
      else response.writeHead(307, { Location: request.url === '/a' ? '/same' : elsewhere }).end();
    });
    const harmless = { accept: 'text/x', 'accept-language': 'de', 'user-agent': 'mine', range: 'bytes=0-9' };
    const secret = Object.fromEntries(
      ['authorization', 'cookie', 'x-api-key', 'x-auth-token', 'api-key', 'x-access-token', 'x-other', 'referer', 'origin'].map((name) => [
        name,
        's3cret',
      ]),
    );
    const headers = { ...harmless, ...secret };

    expect(JSON.parse((await local().request({ url: `${url}/a`, headers, redirects: 1 })).body.toString())).toMatchObject(headers);
    const answer = await local().request({ url: `${url}/b`, headers, redirects: 1 });
    expect(JSON.parse(answer.body.toString())).toEqual({
      ...harmless,
      'accept-encoding': expect.any(String),
      connection: expect.any(String),
      host: new URL(elsewhere).host,
    });
    expect(answer.url).toBe(`${elsewhere}/`);
  });

  test.each([
    [307, 'POST'],
    [308, 'POST'],
    [302, 'PUT'],
    [307, 'DELETE'],
  ])('%i never takes the body of a %s to another origin', async (status, method) => {
    const sent: string[] = [];
    const elsewhere = await serve((request, response) => {
      sent.push(request.method!);
      response.end();
    });
    const url = await serve((request, response) => request.resume() && response.writeHead(status, { Location: elsewhere }).end());
    await expect(local().request({ url, method, body: 's3cret', redirects: 5 })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      kind: 'redirect_refused',
      message: expect.stringContaining(`redirects to ${new URL(elsewhere).host}, and the body`),
    });
    expect(sent).toEqual([]);
  });

  test('303, and 301 of a POST, go to another origin without the body and what was said of it', async () => {
    const elsewhere = await serve(async (request, response) =>
      response.end(JSON.stringify([request.method, (await buffer(request)).toString(), request.headers['content-type'] ?? null])),
    );
    for (const status of [301, 303]) {
      const url = await serve((request, response) => request.resume() && response.writeHead(status, { Location: elsewhere }).end());
      const headers = { 'Content-Type': 'text/x' };
      const answer = await local().request({ url, method: 'POST', body: 's3cret', headers, redirects: 1 });
      expect(JSON.parse(answer.body.toString())).toEqual(['GET', '', null]);
    }
  });

  test('to another host are asked about beforehand, each one; to the same host nobody is asked', async () => {
    const asked: string[] = [];
    const hops: Record<string, string> = { '/': '/b', '/b': 'http://two.test:PORT/c', '/c': 'http://one.test:PORT/d', '/d': '/e' };
    const visited: string[] = [];
    const url = await serve((request, response) => {
      visited.push(`${request.headers.host!.split(':')[0]}${request.url}`);
      const next = hops[request.url!]?.replace('PORT', request.headers.host!.split(':')[1]!);
      if (next) response.writeHead(302, { Location: next }).end();
      else response.end('there');
    });
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => ['127.0.0.1'] }));
    const { port } = new URL(url);
    const request = { url: `http://one.test:${port}/`, redirects: 5 };
    const beforeRedirect = async ({ href }: URL) => {
      asked.push(href);
      if (href.endsWith('/d')) throw new Error('not there');
    };
    await expect(outbound.request({ ...request, beforeRedirect })).rejects.toThrow('not there');
    expect(asked).toEqual([`http://two.test:${port}/c`, `http://one.test:${port}/d`]);
    expect(visited).toEqual(['one.test/', 'one.test/b', 'two.test/c']);
  });

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'body'],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
  ])('%i turns %s into %s', async (status, method, expected, body) => {
    const url = await serve(async (request, response) => {
      if (request.url === '/') return response.writeHead(status, { Location: '/next' }).end();
      response.end(JSON.stringify([request.method, (await buffer(request)).toString(), request.headers['content-type'] ?? null]));
    });
    const answer = await local().request({ url, method, body: 'body', headers: { 'Content-Type': 'text/x' }, redirects: 1 });
    expect(JSON.parse(answer.body.toString())).toEqual([expected, body, body ? 'text/x' : null]);
  });

  test('beyond the number allowed, or in a circle, are a failure', async () => {
    let hits = 0;
    const url = await serve((_, response) => {
      hits += 1;
      response.writeHead(302, { Location: '/' }).end();
    });
    await expect(local().request({ url, redirects: 3 })).rejects.toMatchObject({ kind: 'too_many_redirects' });
    expect(hits).toBe(4);
  });

  test('to what is no URL are a failure', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: 'http://[' }).end());
    await expect(local().request({ url, redirects: 1 })).rejects.toMatchObject({ kind: 'bad_response' });
  });
});

describe('bytes and time', () => {
  const text = 'abc'.repeat(1000);

  test.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
  ])('a body in %s comes decoded', async (encoding, body) => {
    const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body));
    const answer = await local().request({ url });
    expect(answer.body.toString()).toBe(text);
    if (encoding !== 'identity') expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('an encoding that nobody knows stays as it is; one that lies is a bad answer', async () => {
    const unknown = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': 'rot13' }).end('nop'));
    expect(await local().request({ url: unknown })).toMatchObject({ body: Buffer.from('nop'), headers: { 'content-encoding': 'rot13' } });
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
      const lying = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end('not compressed'));
      await expect(local().request({ url: lying })).rejects.toMatchObject({ kind: 'bad_response' });
    }
  });

  test.each(['HEAD', 'GET'])('an empty body that says gzip is empty (%s)', async (method) => {
    const url = await serve((_, response) => response.writeHead(method === 'GET' ? 204 : 200, { 'Content-Encoding': 'gzip' }).end());
    expect(await local().request({ url, method })).toMatchObject({ body: Buffer.alloc(0), headers: { 'content-encoding': 'gzip' } });
  });

  test('a body of exactly the limit is read, one byte more is too large', async () => {
    const url = await serve((request, response) => response.end('x'.repeat(Number(request.url!.slice(1)))));
    expect((await local().request({ url: `${url}/1000`, maxBytes: 1000 })).body.length).toBe(1000);
    await expect(local().request({ url: `${url}/1001`, maxBytes: 1000 })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('an endless body is cut off, and so is a small one that decompresses to a large one', async () => {
    const endless = await serve((_, response) => {
      const write = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    await expect(local().request({ url: endless })).rejects.toMatchObject({ kind: 'too_large' });
    for (const [encoding, bomb] of [
      ['gzip', gzipSync(Buffer.alloc(50_000_000))],
      ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
    ] as const) {
      const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bomb));
      await expect(local().request({ url })).rejects.toMatchObject({ kind: 'too_large' });
    }
  });

  test('where failures may be cut, a large body of one is cut, coded or not; that of a success is not', async () => {
    const text = 'x'.repeat(500_000);
    const url = await serve((request, response) => {
      const [, status, encoding] = request.url!.split('/');
      const body = encoding === 'gzip' ? gzipSync(text) : text;
      response.writeHead(Number(status), encoding ? { 'Content-Encoding': encoding } : {}).end(body);
    });
    const request = { maxBytes: 200_000, cutsFailures: true };
    for (const path of ['500', '404/gzip']) {
      const { status, isCut, body } = await local().request({ url: `${url}/${path}`, ...request });
      expect([status, isCut]).toEqual([Number(path.slice(0, 3)), true]);
      expect(body.toString()).toMatch(/^x{1,200000}$/);
    }
    expect(await local().request({ url: `${url}/500`, cutsFailures: true })).toMatchObject({ isCut: false, body: Buffer.from(text) });
    await expect(local().request({ url: `${url}/200`, ...request })).rejects.toMatchObject({ kind: 'too_large' });
    await expect(local().request({ url: `${url}/500`, maxBytes: 200_000 })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('headers without end are too large', async () => {
    const url = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`));
    await expect(local().request({ url })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('the deadline covers silence, a dripping body and a slow resolver', async () => {
    const silent = await serveRaw(() => {});
    await expect(local().request({ url: silent, timeoutMs: 100 })).rejects.toMatchObject({
      kind: 'timeout',
      message: '127.0.0.1 did not answer within 0.1 s.',
    });
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await expect(local().request({ url: dripping, timeoutMs: 150 })).rejects.toMatchObject({ kind: 'timeout' });
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: [] }, { resolve: () => new Promise(() => {}) }));
    await expect(outbound.request({ url: 'http://slow.test/', timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  test("the caller's signal cancels", async () => {
    const url = await serveRaw(() => {});
    await expect(local().request({ url, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ kind: 'aborted' });
  });
});

describe('failures are sentences', () => {
  test('that name the host and nothing of the path, and keep the cause for operators', async () => {
    const url = await serveRaw((socket) => socket.end('this is not HTTP\r\n\r\n'));
    const error = await local()
      .request({ url: `${url}/s3cret?token=s3cret` })
      .catch((error) => error);
    expect(error).toMatchObject({
      kind: 'bad_response',
      message: 'The answer of 127.0.0.1 is not HTTP.',
      details: { reason: 'bad_response' },
      cause: expect.any(Error),
    });
    expect(JSON.stringify([error.message, error.details])).not.toContain('s3cret');
  });

  test('a port that nobody listens on, a name that does not resolve, a connection that breaks', async () => {
    const { port } = await listen(createTcpServer());
    await closeAll();
    await expect(local().request({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      kind: 'unreachable',
      message: '127.0.0.1 does not accept connections.',
    });

    const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: [] }, { resolve }));
    await expect(outbound.request({ url: 'https://nowhere.test/' })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('cannot be found'),
    });

    const broken = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    await expect(local().request({ url: broken })).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

function local(): Outbound {
  return opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }));
}

function opened<Closable extends { close(): unknown }>(closable: Closable): Closable {
  open.push(closable);
  return closable;
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const { port } = await listen(createHttpServer(handle as RequestListener));
  return `http://127.0.0.1:${port}`;
}

async function serveTls(handle: RequestListener): Promise<number> {
  return (await listen(createHttpsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, handle))).port;
}

async function serveRaw(connected: (socket: import('node:net').Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    opened({ close: () => socket.destroy() });
    socket.on('error', () => {});
    socket.once('data', () => connected(socket));
  });
  return `http://127.0.0.1:${(await listen(server)).port}`;
}

async function listen(server: Server & { closeAllConnections?(): void }): Promise<AddressInfo> {
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

async function closeAll(): Promise<void> {
  for (const one of open.splice(0)) await one.close();
}
