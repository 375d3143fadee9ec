import { isIP } from 'node:net';
import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import { openProxyJudge } from '../../infra/addresses/source-address.ts';
import type { Config } from '../../infra/config.ts';
import { originJudge } from '../middleware/allow-origins.ts';

type OriginSettings = Pick<Config, 'baseUrl' | 'platformUrl' | 'host' | 'mcpCorsOrigins' | 'trustedProxies'>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns a check of `Origin` and `Host` that throws ORIGIN_NOT_ALLOWED. Checks `Host` against DNS
 * rebinding. If the service listens beyond the loopback interface, `Host` may also be an IP address
 * or a name without a dot, and a trusted proxy may send any `Host`.
 */
export function originCheck({ baseUrl, platformUrl, host, mcpCorsOrigins, trustedProxies }: OriginSettings): (ctx: Context) => void {
  const own = [new URL(baseUrl), new URL(platformUrl)];
  const origins = new Set(own.map((url) => url.origin));
  const hostnames = new Set(own.map((url) => url.hostname));
  const isAllowedOrigin = originJudge(mcpCorsOrigins);
  const isProxy = openProxyJudge(trustedProxies);
  const isOwnHost = (asked: string) => LOOPBACK.test(asked) || hostnames.has(asked);
  const isKnownHost = isLoopback(host) ? isOwnHost : (asked: string) => isOwnHost(asked) || !isDomainName(asked);
  return (ctx) => {
    const origin = ctx.get('Origin');
    if (origin && !origins.has(origin) && !isAllowedOrigin(origin))
      throw new GatewayError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not call MCP servers.');
    const asked = hostnameOf(ctx.get('Host'));
    if (asked !== undefined && isKnownHost(asked)) return;
    if (!isLoopback(host) && isProxy(ctx.req.socket.remoteAddress)) return;
    throw new GatewayError('ORIGIN_NOT_ALLOWED', 'This service is not reachable under that host name. Its address is BASE_URL.');
  };
}

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

/** Whether a foreign site can have this host name: the name has a dot and is not an IP address. */
function isDomainName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && isIP(name) === 0;
}

function hostnameOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname;
}
