import type { Context } from 'koa';
import { BODY_MAX_BYTES } from '../../domain/limits.ts';
import { joinBytes } from '../../infra/event-loop/join-bytes.ts';

/** A body over its limit is still read up to here, so that the caller gets the response. */
const READ_AT_MOST_BYTES = 8 * BODY_MAX_BYTES;

/**
 * Returns the body of a request, or undefined if it has more than `maxBytes`. The connection closes
 * after a body above READ_AT_MOST_BYTES, and its caller may see a reset instead of the response.
 */
export async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer | undefined> {
  const readAtMostBytes = Math.max(maxBytes, READ_AT_MOST_BYTES);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    if (length > readAtMostBytes) break;
  }
  if (length <= maxBytes) return joinBytes(chunks);
  if (length > readAtMostBytes) ctx.set('Connection', 'close');
  return undefined;
}
