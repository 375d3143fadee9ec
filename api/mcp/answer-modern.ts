import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, type Server, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import { boundErrorAnswer } from './bound-error-answer.ts';

/**
 * Answers a POST of protocol revision 2026-07-28. A closed connection cancels the request. Each
 * request has its own handler, so `Server` objects of different requests share no state.
 */
export async function answerModern(open: () => Server, bus: ServerEventBus, body: unknown, ctx: Context): Promise<void> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  const handler = createMcpHandler(open, { legacy: 'reject', bus });
  const response = await handler.fetch(await toWebRequest(ctx.req, body, { signal: gone.signal }), { parsedBody: body });
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  ctx.body = isStream ? Readable.fromWeb(response.body as ReadableStream) : boundText(response.ok, await response.text()) || null;
  ctx.status = response.status;
  for (const [name, value] of response.headers) ctx.set(name, value);
}

/**
 * Shortens the text if the HTTP status is an error, because the MCP library can quote the request
 * in an error.
 */
function boundText(isResult: boolean, json: string): string {
  return isResult || json === '' ? json : JSON.stringify(boundErrorAnswer(JSON.parse(json)));
}
