import type { Gateway } from '../../commands/gateway.ts';
import { acceptMetadata } from './read-registration.ts';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 5000;

/**
 * Fetches client metadata documents for the authorization server. Uses the guarded HTTP client: a
 * URL given as a client id reaches only what an action could reach. Follows no redirect.
 */
export function fetchMetadata({ outbound }: Pick<Gateway, 'outbound'>): (url: string | URL) => Promise<Response> {
  return async (url) => {
    const answer = await outbound.request({
      ...{ url: String(url), headers: { accept: 'application/json' } },
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    });
    const { 'cache-control': cacheControl, expires } = answer.headers;
    const headers = { ...(cacheControl && { 'cache-control': cacheControl }), ...(expires && { expires }) };
    return new Response(acceptMetadata(answer.body.toString('utf8')), { status: answer.status, headers });
  };
}
