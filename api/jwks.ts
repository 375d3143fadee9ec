import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { GatewayError } from '../domain/errors.ts';
import { listPublicReceiptKeys } from '../store/receipt-keys.ts';
import { spareUnchanged } from './middleware/spare-unchanged.ts';

const PATH = '/.well-known/jwks.json';
const MAX_AGE_SECONDS = 300;

/**
 * GET /.well-known/jwks.json: the public keys that receipts can be verified with (RFC 7517), those of former signing keys too. For
 * everybody, web pages of any origin included: there is nothing in it to hide.
 */
export function jwks(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
    }
    await gateway.receipts.register();
    const text = JSON.stringify({ keys: await listPublicReceiptKeys(gateway.db) });
    ctx.type = 'json';
    ctx.body = text;
    ctx.set({
      ETag: `"${createHash('sha256').update(text).digest('base64url')}"`,
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      'Access-Control-Allow-Origin': '*',
    });
    spareUnchanged(ctx);
  };
}
