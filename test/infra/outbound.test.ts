import { createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { CERTIFICATE } from './outbound-certificate.ts';
import { closeAll, listen, local, opened, serve, serveRaw, serveTls } from './outbound-servers.ts';

afterEach(closeAll);

describe('a request', () => {
  test('sends method, path, query, headers and body, and returns status, headers and body', async () => {
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

  test('reaches a TLS server at the checked address, and checks the certificate against the name', async () => {
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

describe('failures have messages', () => {
  test('that contain the host and not the path, and keep the cause for operators', async () => {
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

  test('for a closed port, an unresolvable name and a broken connection', async () => {
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
