import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config.ts';

/**
 * Throws ORIGIN_NOT_ALLOWED for a form of another origin. Checks `Origin` if `Sec-Fetch-Site` is
 * missing, as over plain HTTP.
 */
export function assertSameOrigin(ctx: Context, { platformUrl }: Pick<Config, 'platformUrl'>): void {
  const site = ctx.get('Sec-Fetch-Site');
  if (site === 'same-origin' || (site === '' && isOwn(ctx.get('Origin'), ctx, platformUrl))) return;
  throw new GatewayError('ORIGIN_NOT_ALLOWED', 'The form must be sent from its own page.');
}

function isOwn(origin: string, ctx: Context, platformUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  return origin === new URL(platformUrl).origin || new URL(origin).host === ctx.host;
}
