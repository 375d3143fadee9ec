import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { listPublicReceiptKeys } from '../store/receipt-keys.ts';
import { assertMethod, READ_METHODS } from './middleware/assert-method.ts';
import { spareUnchanged } from './middleware/spare-unchanged.ts';

const PATH = '/.well-known/jwks.json';
const MAX_AGE_SECONDS = 300;

/**
 * GET /.well-known/jwks.json: the current and former public keys of receipts, without revoked keys
 * (RFC 7517).
 */
export function jwks(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    assertMethod(ctx, READ_METHODS);
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
