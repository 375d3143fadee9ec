import type { Context } from 'koa';
import { BODY_MAX_BYTES } from '../../domain/limits.ts';
import { joinBytes } from '../../infra/event-loop/join-bytes.ts';

/** A body that is too large is read up to this many bytes. */
const READ_AT_MOST_BYTES = 8 * BODY_MAX_BYTES;

/**
 * Returns the bytes of a request's body. Returns undefined if the body has more than `maxBytes`.
 * Reads and drops the rest of a larger body, up to READ_AT_MOST_BYTES. If the body is even larger,
 * stops reading, and the connection closes after the response. A caller that is still sending may
 * then see a reset instead of the response.
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
