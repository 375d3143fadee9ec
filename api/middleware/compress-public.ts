import type { Middleware } from 'koa';
import compress from 'koa-compress';

/** Paths of the API reference. Its responses are the same for everybody and contain no secret. */
const PUBLIC = /^\/(?:docs(?:\/.*)?|openapi\.json)$/;

/**
 * Compresses public answers if the caller accepts a compression. Compresses no other answers,
 * because the compressed length could reveal a secret next to text of a caller (BREACH). Routes
 * with `isCompressible` compress their answers themselves. A compressed answer keeps the ETag of
 * the uncompressed answer. This is safe, because the service serves no ranges, and clients then
 * compare tags weakly (RFC 9110, section 8.8.3.2).
 */
export function compressPublic(): Middleware {
  const answer = compress();
  return (ctx, next) => ((ctx.method === 'GET' || ctx.method === 'HEAD') && PUBLIC.test(ctx.path) ? answer(ctx, next) : next());
}
