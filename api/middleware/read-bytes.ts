import type { Context } from 'koa';

/**
 * The bytes of a request's body; undefined if it has more than `maxBytes`. The rest of a larger
 * body is read and dropped up to `readAtMostBytes` (default: `maxBytes`, nothing more). A body
 * beyond that is not read: the connection closes after the response, and a caller that is still
 * sending may see a reset instead of the response.
 */
export async function readBytes(ctx: Context, maxBytes: number, readAtMostBytes = maxBytes): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    if (length > readAtMostBytes) break;
  }
  if (length <= maxBytes) return Buffer.concat(chunks);
  if (length > readAtMostBytes) ctx.set('Connection', 'close');
  return undefined;
}
