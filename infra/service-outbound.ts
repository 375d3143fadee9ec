import type { ServiceOutbound } from '../domain/outbound.ts';
import { type Config, required } from './config.ts';
import { type OutboundOptions, openOutbound } from './outbound.ts';
import { hostOverrides } from './outbound-override.ts';
import { ownApi, ownParts } from './own-parts.ts';
import { openTokens } from './tokens.ts';

export type OutboundConfig = Pick<
  Config,
  'outbound' | 'databaseUrl' | 'temporal' | 'host' | 'port' | 'baseUrl' | 'platformUrl' | 'tokenPepper'
>;

/**
 * Opens the guarded HTTP client for all requests on behalf of callers. The client never calls a
 * part of the service itself, except to download stored files (contract decisions 7). Throws a
 * SetupError.
 */
export function openServiceOutbound(config: OutboundConfig, options: OutboundOptions = {}): ServiceOutbound {
  return openOutbound(
    {
      ...config.outbound,
      overrides: hostOverrides(config.outbound.resolve),
      ownParts: ownParts(config),
      ownApi: ownApi(config),
      loopId: ownLoopId(config.tokenPepper),
      serviceUrl: config.platformUrl,
    },
    options,
  );
}

/** Returns the id of this installation in the header CDN-Loop (RFC 8586). The id is no secret. */
export function ownLoopId(tokenPepper: Config['tokenPepper']): string {
  const key = openTokens(required(tokenPepper, 'TOKEN_PEPPER')).key('outbound loop');
  return `integration-gateway-${key.toString('hex').slice(0, 16)}`;
}
