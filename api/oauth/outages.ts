import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { toGatewayError } from '../middleware/render-errors.ts';

const outages = new WeakMap<IncomingMessage, unknown>();

/**
 * Records the error if it is an outage, such as an unreachable database. The library would answer
 * with 500. Returns whether the error is an outage.
 */
export function noteOutage({ req }: Pick<KoaContextWithOIDC, 'req'>, error: unknown): boolean {
  if (toGatewayError(error).code !== 'UNAVAILABLE') return false;
  outages.set(req, error);
  return true;
}

/**
 * Middleware of the library: suppresses the library's answer after an outage, so that the service
 * answers instead.
 */
export async function leaveOutages(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!noteOutage(ctx, error)) throw error;
  }
  if (outages.has(ctx.req)) ctx.respond = false;
}

/** The outage that was recorded for this request, or undefined. */
export function outageOf(request: IncomingMessage): unknown {
  return outages.get(request);
}
