import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import { originJudge } from '../middleware/allow-origins.ts';

type OriginSettings = Pick<Config, 'baseUrl' | 'platformUrl' | 'host' | 'mcpCorsOrigins'>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns a check that throws ORIGIN_NOT_ALLOWED for requests from web pages. It allows the origins
 * of the service and those in MCP_CORS_ORIGINS. A service that listens on a loopback address also
 * refuses unknown host names, against DNS rebinding.
 */
export function originCheck({ baseUrl, platformUrl, host, mcpCorsOrigins }: OriginSettings): (ctx: Context) => void {
  const own = [new URL(baseUrl), new URL(platformUrl)];
  const origins = new Set(own.map((url) => url.origin));
  const hostnames = new Set(own.map((url) => url.hostname));
  const isAllowedOrigin = originJudge(mcpCorsOrigins);
  const isKnownHost = (asked: string | undefined) => asked !== undefined && (LOOPBACK.test(asked) || hostnames.has(asked));
  return (ctx) => {
    const origin = ctx.get('Origin');
    if (origin && !origins.has(origin) && !isAllowedOrigin(origin))
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
