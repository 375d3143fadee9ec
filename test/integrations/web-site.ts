import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOutbound } from '../../infra/outbound.ts';
import { KEEPS_IDLE } from '../support/keeps-idle.ts';
import { runAction } from './run-action.ts';

/** Answers the request for one page. */
export type PageAnswer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Returns a handler that answers with this page. */
export const page =
  (body: string | Buffer, type = 'text/html; charset=utf-8'): PageAnswer =>
  (_, response) =>
    response.setHeader('content-type', type).end(body);

const missing: PageAnswer = (_, response) => response.writeHead(404).end('not here');

/** Starts a web site with these pages, by path. */
export async function openWebSite(pages: Record<string, PageAnswer>) {
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  const asked: string[] = [];
  const server = createServer(KEEPS_IDLE, (request, response) => {
    asked.push(request.url!);
    (pages[new URL(request.url!, 'http://x').pathname] ?? missing)(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (action: string, input: object) => runAction(`web-reader.${action}`, input, { outbound });
  const read = (action: string, path: string, input: object = {}) => run(action, { url: base + path, ...input });
  return {
    base,
    pages,
    asked,
    run,
    read,
    textOf: async (path: string) => (await read('fetch_as_text', path)).content,
    close: async () => {
      await outbound.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
