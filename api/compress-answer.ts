import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib';
import type { Context } from 'koa';
import { textStream } from './text-body.ts';

/** In characters. A shorter answer fits in one or two packets anyway. */
const LEAST_LENGTH = 2048;

/** Brotli 4 takes about as long as gzip, and its answers are smaller. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_MODE]: zlib.BROTLI_MODE_TEXT } };

/** Brotli wherever it is accepted: browsers list gzip before it. */
export function acceptedEncoding(ctx: Context): 'br' | 'gzip' | undefined {
  return ctx.acceptsEncodings('br') ? 'br' : ctx.acceptsEncodings('gzip') ? 'gzip' : undefined;
}

/**
 * Answers with a text as the caller accepts it; false, and nothing done, for one that is short or
 * that the caller takes only as it is. The text is encoded and compressed in slices, off the event
 * loop.
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
