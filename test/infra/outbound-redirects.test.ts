import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { closeAll, local, opened, serve } from './outbound-servers.ts';

afterEach(closeAll);

describe('redirects', () => {
  test('are returned as answers by default', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: '/next' }).end('moved'));
    expect(await local().request({ url })).toMatchObject({ status: 302, headers: { location: '/next' } });
  });

  test('to a private address, to another scheme or with credentials are blocked', async () => {
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

  test('to a name that resolves to a private address are blocked', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: 'http://inside.test/' }).end());
    const resolve = async (name: string) => (name === 'inside.test' ? ['192.168.0.1'] : ['127.0.0.1']);
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve }));
    await expect(outbound.request({ url: `http://outside.test:${new URL(url).port}/`, redirects: 5 })).rejects.toMatchObject({
      kind: 'blocked',
    });
  });

  test('within an origin keep all headers; to another origin, only harmless headers', async () => {
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
  ])('with status %i never send the body of a %s to another origin', async (status, method) => {
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

  test('after a POST with status 301 or 303 send neither body nor content type', async () => {
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

  test('are reported to beforeRedirect one by one, and its error stops them', async () => {
    const asked: [string, boolean][] = [];
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
    const beforeRedirect = async ({ href }: URL, isOtherHost: boolean) => {
      asked.push([href, isOtherHost]);
      if (href.endsWith('/d')) throw new Error('not there');
    };
    await expect(outbound.request({ ...request, beforeRedirect })).rejects.toThrow('not there');
    expect(asked).toEqual([
      [`http://one.test:${port}/b`, false],
      [`http://two.test:${port}/c`, true],
      [`http://one.test:${port}/d`, true],
    ]);
    expect(visited).toEqual(['one.test/', 'one.test/b', 'two.test/c']);
  });

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'body'],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
  ])('with status %i: a %s is followed by a %s', async (status, method, expected, body) => {
    const url = await serve(async (request, response) => {
      if (request.url === '/') return response.writeHead(status, { Location: '/next' }).end();
      response.end(JSON.stringify([request.method, (await buffer(request)).toString(), request.headers['content-type'] ?? null]));
    });
    const answer = await local().request({ url, method, body: 'body', headers: { 'Content-Type': 'text/x' }, redirects: 1 });
    expect(JSON.parse(answer.body.toString())).toEqual([expected, body, body ? 'text/x' : null]);
  });

  test('in a loop end at the limit with a failure', async () => {
    let hits = 0;
    const url = await serve((_, response) => {
      hits += 1;
      response.writeHead(302, { Location: '/' }).end();
    });
    await expect(local().request({ url, redirects: 3 })).rejects.toMatchObject({ kind: 'too_many_redirects' });
    expect(hits).toBe(4);
  });

  test('to an invalid URL are a failure', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: 'http://[' }).end());
    await expect(local().request({ url, redirects: 1 })).rejects.toMatchObject({ kind: 'bad_response' });
  });
});
