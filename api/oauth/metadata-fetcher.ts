import type { Gateway } from '../../commands/gateway.ts';
import { acceptMetadata } from './read-registration.ts';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 5000;

/**
 * A file of another type could be an upload that a host accepts from any user. A document without a
 * type counts as JSON.
 */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Returns a `fetch` function that reads client metadata documents. The function uses the guarded
 * HTTP client, because a client id can be any URL.
 */
export function metadataFetcher({ outbound }: Pick<Gateway, 'outbound'>): (url: string | URL) => Promise<Response> {
  return async (url) => {
    const answer = await outbound.request({
      ...{ url: String(url), headers: { accept: 'application/json' } },
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    });
    const { 'cache-control': cacheControl, 'content-type': type = 'application/json', expires } = answer.headers;
    if (!JSON_TYPE.test(type)) throw new Error('A client metadata document must be JSON.');
    const headers = { ...(cacheControl && { 'cache-control': cacheControl }), ...(expires && { expires }) };
    return new Response(acceptMetadata(answer.body.toString('utf8')), { status: answer.status, headers });
  };
}
