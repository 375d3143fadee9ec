import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import { originJudge } from '../middleware/allow-origins.ts';

type OriginSettings = Pick<Config, 'baseUrl' | 'platformUrl' | 'host' | 'mcpCorsOrigins'>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Refuses web pages of origins that are neither the service's own nor in MCP_CORS_ORIGINS. On a
 * loopback address, refuses unknown host names too, against DNS rebinding. Throws
 * ORIGIN_NOT_ALLOWED.
 */
export function assertOrigin({ baseUrl, platformUrl, host, mcpCorsOrigins }: OriginSettings, ctx: Context): void {
  const own = [new URL(baseUrl), new URL(platformUrl)];
  const origin = ctx.get('Origin');
  if (origin && !own.some((url) => url.origin === origin) && !originJudge(mcpCorsOrigins)(origin))
    throw new GatewayError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not call MCP servers.');
  if (!isLoopback(host)) return;
  const asked = hostnameOf(ctx.get('Host'));
  const known = asked !== undefined && (LOOPBACK.test(asked) || own.some((url) => url.hostname === asked));
  if (!known) throw new GatewayError('ORIGIN_NOT_ALLOWED', 'This service is not reachable under that host name. Its address is BASE_URL.');
}

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

function hostnameOf(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}
