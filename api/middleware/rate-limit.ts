import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';

/**
 * Counts one request of an organization and sets the X-RateLimit headers (contract decisions 1).
 * Throws RATE_LIMITED if the organization has made too many requests.
 */
export type RateLimit = (ctx: Context, orgId: string) => void;

const MAX_ORGS = 10_000;

/**
 * Opens the rate limit: one token bucket per organization, in the memory of this process.
 * `perSecond` 0 means no limit.
 */
export function openRateLimit({ perSecond, burst }: Config['rateLimit']): RateLimit {
  if (perSecond === 0) return () => {};
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_ORGS });
  return (ctx, orgId) => {
    const now = Date.now();
    const last = buckets.get(orgId) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, last.tokens + ((now - last.at) / 1000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    buckets.set(orgId, { tokens: left, at: now });
    ctx.set('X-RateLimit-Limit', String(burst));
    ctx.set('X-RateLimit-Remaining', String(Math.floor(left)));
    ctx.set('X-RateLimit-Reset', String(Math.ceil((now + ((burst - left) / perSecond) * 1000) / 1000)));
    if (allowed) return;
    ctx.set('Retry-After', String(Math.max(1, Math.ceil((1 - left) / perSecond))));
    throw new GatewayError('RATE_LIMITED', 'This organization makes too many requests. Wait for the time in Retry-After, then try again.');
  };
}
