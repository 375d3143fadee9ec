import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib';
import type { Context } from 'koa';
import { textStream } from './text-body.ts';

/** Minimum length in characters to compress. Shorter answers fit in one or two packets. */
const LEAST_LENGTH = 2048;

/** Brotli at quality 4 is about as fast as gzip, and its output is smaller. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_MODE]: zlib.BROTLI_MODE_TEXT } };

/**
 * Returns undefined if the caller accepts neither encoding. Ignores the caller's order of
 * preference, because browsers list gzip first.
 */
export function acceptedEncoding(ctx: Context): 'br' | 'gzip' | undefined {
  return ctx.acceptsEncodings('br') ? 'br' : ctx.acceptsEncodings('gzip') ? 'gzip' : undefined;
}

/**
 * Sends a text in compressed form and returns true. Sends nothing and returns false for a short
 * text, for HEAD, and for a caller that accepts neither Brotli nor gzip.
 */
export function compressAnswer(ctx: Context, pieces: readonly string[]): boolean {
  if (ctx.method === 'HEAD' || !isLong(pieces)) return false;
  const encoding = acceptedEncoding(ctx);
  if (!encoding) return false;
  ctx.set('Content-Encoding', encoding);
  ctx.body = textStream(pieces).pipe(encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip());
  return true;
}

function isLong(pieces: readonly string[]): boolean {
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length >= LEAST_LENGTH) return true;
  }
  return false;
}
