import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, type Server } from '@modelcontextprotocol/server';
import type { Context } from 'koa';

/** Answers a POST of revision 2026-07-28, where closing the connection cancels the request. */
export async function answerModern(open: () => Server, body: unknown, ctx: Context): Promise<void> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  const handler = createMcpHandler(open, { legacy: 'reject' });
  const response = await handler.fetch(await toWebRequest(ctx.req, body, { signal: gone.signal }), { parsedBody: body });
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  ctx.body = isStream ? Readable.fromWeb(response.body as ReadableStream) : (await response.text()) || null;
  ctx.status = response.status;
  for (const [name, value] of response.headers) ctx.set(name, value);
}
