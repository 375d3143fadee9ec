import type { Context } from 'koa';

/**
 * The bytes of a request's body; undefined if it has more than `maxBytes`. A larger body is still
 * read up to `readAtMostBytes`, because a caller that is still sending would not read the response.
 * If it is even larger, the connection closes after the response.
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
