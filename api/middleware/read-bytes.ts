import type { Context } from 'koa';
import { BODY_MAX_BYTES } from '../../domain/limits.ts';
import { joinBytes } from '../../infra/event-loop/join-bytes.ts';

/** A body that is too large is still read up to this many bytes. */
const READ_AT_MOST_BYTES = 8 * BODY_MAX_BYTES;

/**
 * The bytes of a request's body; undefined if it has more than `maxBytes`. The rest of a larger
 * body is read and dropped up to 8 MB. A body beyond that is not read: the connection closes after
 * the response, and a caller that is still sending may see a reset instead of the response.
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
