import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The third party's answers, by path of the request. */
export const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  '/echo': async (request, response) => {
    const { method, url, headers } = request;
    response
      .setHeader('Content-Type', 'application/json; charset=utf-8')
      .end(JSON.stringify({ method, url, headers, body: (await buffer(request)).toString() }));
  },
  '/status': (request, response) => {
    response.statusCode = Number(new URL(request.url!, 'http://x').searchParams.get('code'));
    response.setHeader('Content-Type', 'application/problem+json').end(JSON.stringify({ saw: request.headers.authorization ?? null }));
  },
  '/echo-failed': (request, response) => {
    const { cookie, 'x-api-key': key } = request.headers;
    response.writeHead(400).end(JSON.stringify({ url: request.url, cookie, sid: cookie?.slice(4, 17), key }));
  },
  '/crafted': (_, response) => response.writeHead(500).end('[red'.repeat(5000)),
  '/text': (_, response) => response.setHeader('Content-Type', 'text/plain; charset=iso-8859-1').end(Buffer.from('caf\xe9', 'latin1')),
  '/odd-charset': (_, response) => response.setHeader('Content-Type', 'text/plain; charset=klingon').end('café'),
  '/not-json': (_, response) => response.setHeader('Content-Type', 'application/json').end('<html>'),
  '/proto': (_, response) => response.setHeader('Content-Type', 'application/json').end('{"__proto__":{"polluted":1}}'),
  '/bytes': (_, response) => response.end(Buffer.from([0, 255, 254])),
  '/empty': (_, response) => response.writeHead(204).end(),
  '/huge': (request, response) =>
    response.writeHead(Number(new URL(request.url!, 'http://x').searchParams.get('code'))).end('out of order '.repeat(100_000)),
  '/moved': (_, response) => response.writeHead(302, { Location: '/echo?moved' }).end(),
  '/inside': (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
  '/silent': () => {},
};
