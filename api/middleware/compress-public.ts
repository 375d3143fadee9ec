import type { Middleware } from 'koa';
import compress from 'koa-compress';

/** Responses that are the same for everybody and contain no secret: the API reference. */
const PUBLIC = /^\/(?:docs(?:\/.*)?|openapi\.json)$/;

/**
 * Compresses public answers as the caller accepts it. No other answer is compressed: where a secret
 * stands beside text of a caller, the compressed length would reveal the secret (BREACH). An ETag
 * is that of the uncompressed answer: no ranges are served, so tags are compared weakly (RFC 9110,
 * section 8.8.3.2).
 */
export function compressPublic(): Middleware {
  const answer = compress();
  return (ctx, next) => ((ctx.method === 'GET' || ctx.method === 'HEAD') && PUBLIC.test(ctx.path) ? answer(ctx, next) : next());
}
