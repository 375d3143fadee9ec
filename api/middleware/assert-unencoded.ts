import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';

/**
 * Throws UNSUPPORTED_MEDIA_TYPE for a Content-Encoding other than `identity`.
 * Bodies are never decompressed, because a few bytes can expand to a lot of memory.
 */
export function assertUnencoded(ctx: Context): void {
  const encoding = ctx.get('Content-Encoding').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
}
