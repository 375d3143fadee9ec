import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import { originJudge } from '../middleware/allow-origins.ts';

type OriginSettings = Pick<Config, 'baseUrl' | 'platformUrl' | 'host' | 'mcpCorsOrigins'>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the check that refuses web pages of origins that are neither the service's own nor in
 * MCP_CORS_ORIGINS. On a loopback address, it refuses unknown host names too, against DNS
 * rebinding. Throws ORIGIN_NOT_ALLOWED.
 */
export function originCheck({ baseUrl, platformUrl, host, mcpCorsOrigins }: OriginSettings): (ctx: Context) => void {
  const own = [new URL(baseUrl), new URL(platformUrl)];
  const origins = new Set(own.map((url) => url.origin));
  const hostnames = new Set(own.map((url) => url.hostname));
  const isShared = originJudge(mcpCorsOrigins);
  const isKnownHost = (asked: string | undefined) => asked !== undefined && (LOOPBACK.test(asked) || hostnames.has(asked));
  return (ctx) => {
    const origin = ctx.get('Origin');
    if (origin && !origins.has(origin) && !isShared(origin))
      throw new GatewayError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not call MCP servers.');
    if (isLoopback(host) && !isKnownHost(hostnameOf(ctx.get('Host'))))
      throw new GatewayError('ORIGIN_NOT_ALLOWED', 'This service is not reachable under that host name. Its address is BASE_URL.');
  };
}

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

function hostnameOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname;
}
