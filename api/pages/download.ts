import type { Middleware } from 'koa';
import { readDownload } from '../../commands/agent-state/read-download.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { assertMethod, READ_METHODS } from '../middleware/assert-method.ts';

const PATH = /^\/files\/([A-Za-z0-9._-]+)$/;

/**
 * GET /files/<token>: a stored file, for every holder of its link. The answer is always an
 * attachment, so that content of callers never runs as a page of this origin.
 */
export function download(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    const token = PATH.exec(ctx.path)?.[1];
    if (token === undefined) return next();
    assertMethod(ctx, READ_METHODS);
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

/** Whether a text is a media type that is safe in a header. */
function isMediaType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+(?: *; *[\w.+-]+=[\w.+-]+)*$/.test(text);
}
