import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { closeAll, local, opened, serve, serveRaw } from './outbound-servers.ts';

afterEach(closeAll);

describe('bytes and time', () => {
  const text = 'abc'.repeat(1000);

  test.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['x-gzip', gzipSync(text)],
    ['identity, gzip', gzipSync(text)],
    ['identity', Buffer.from(text)],
  ])('a body in %s is decoded', async (encoding, body) => {
    const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body));
    const answer = await local().request({ url });
    expect(answer.body.toString()).toBe(text);
    if (encoding !== 'identity') expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('a body in an unknown encoding is passed through, and a wrongly encoded body is a bad answer', async () => {
    const unknown = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': 'rot13' }).end('nop'));
    expect(await local().request({ url: unknown })).toMatchObject({ body: Buffer.from('nop'), headers: { 'content-encoding': 'rot13' } });
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
      const lying = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end('not compressed'));
      await expect(local().request({ url: lying })).rejects.toMatchObject({ kind: 'bad_response' });
    }
  });

  test.each(['HEAD', 'GET'])('an empty body that is declared as gzip is read as empty (%s)', async (method) => {
    const url = await serve((_, response) => response.writeHead(method === 'GET' ? 204 : 200, { 'Content-Encoding': 'gzip' }).end());
    expect(await local().request({ url, method })).toMatchObject({ body: Buffer.alloc(0), headers: { 'content-encoding': 'gzip' } });
  });

  test('a body of the maximum size is read, and a larger body is refused', async () => {
    const url = await serve((request, response) => response.end('x'.repeat(Number(request.url!.slice(1)))));
    expect((await local().request({ url: `${url}/1000`, maxBytes: 1000 })).body.length).toBe(1000);
    await expect(local().request({ url: `${url}/1001`, maxBytes: 1000 })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('a body is aborted above the maximum size, also after decompression', async () => {
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

  test('with cutsFailures, an oversized body is cut if the status is an error, and is refused otherwise', async () => {
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

  test('headers of 100 kB are too large', async () => {
    const url = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`));
    await expect(local().request({ url })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('the deadline covers silence, a slow body and a slow resolver', async () => {
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

  test("the caller's signal cancels the request", async () => {
    const url = await serveRaw(() => {});
    await expect(local().request({ url, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ kind: 'aborted' });
  });
});
