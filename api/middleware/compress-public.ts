import type { Middleware } from 'koa';
import compress from 'koa-compress';

/** Paths of the API reference. Its responses are the same for everybody and contain no secret. */
const PUBLIC = /^\/(?:docs(?:\/.*)?|openapi\.json)$/;

/**
 * Compresses the API reference. An answer with a secret must stay uncompressed: if it also contains
 * text of the caller, its compressed length could reveal the secret (BREACH). A compressed answer
 * may keep its ETag, because the service serves no ranges (RFC 9110, section 8.8.3.2).
 */
export function compressPublic(): Middleware {
  const answer = compress();
  return (ctx, next) => ((ctx.method === 'GET' || ctx.method === 'HEAD') && PUBLIC.test(ctx.path) ? answer(ctx, next) : next());
}
