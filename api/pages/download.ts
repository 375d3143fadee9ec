import type { Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { readDownload } from '../../commands/read-download.ts';
import { GatewayError } from '../../domain/errors.ts';

const PATH = /^\/files\/([A-Za-z0-9._-]+)$/;

/** GET /files/<token>: a stored file, for whoever holds its link. Always an attachment: what callers wrote is never a page of ours. */
export function download(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    const token = PATH.exec(ctx.path)?.[1];
    if (token === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
    }
    const { fileName, contentType, content } = await readDownload(gateway, token);
    ctx.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    });
    ctx.attachment(fileName);
    ctx.set('Content-Type', isMediaType(contentType) ? contentType : 'application/octet-stream');
    ctx.body = content;
  };
}

/** A header must not hold just any text. */
function isMediaType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+(?: *; *[\w.+-]+=[\w.+-]+)*$/.test(text);
}
