import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config.ts';

/**
 * Throws SCOPE_DENIED for a form from another origin. Allows `Origin: null`, which browsers send
 * from our own pages (`no-referrer`), and missing headers of old browsers.
 */
export function assertOwnSite(ctx: Context, config: Config): void {
  const site = ctx.get('Sec-Fetch-Site');
  const origin = ctx.get('Origin');
  const foreignSite = site !== '' && site !== 'same-origin' && site !== 'none';
  const foreignOrigin = origin !== '' && origin !== 'null' && !isOwnOrigin(origin, ctx, config);
  if (foreignSite || foreignOrigin) throw new GatewayError('SCOPE_DENIED', 'The form must be sent from its own page.');
}

function isOwnOrigin(origin: string, ctx: Context, config: Config): boolean {
  if (!URL.canParse(origin)) return false;
  const own = [config.platformUrl, config.baseUrl].map((url) => new URL(url).origin);
  return own.includes(origin) || new URL(origin).host === ctx.host;
}
