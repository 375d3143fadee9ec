import type { Hop } from './outbound-redirect.ts';

/**
 * Whether a request to the service itself only downloads a stored file: no query, no body, and no
 * header that a proxy might read as another method, path or sender. `url` must be normalized.
 */
export function isPlainDownload({ url, method, headers, body }: Hop, prefixes: readonly string[]): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || body !== undefined || url.search !== '') return false;
  if (!Object.keys(headers).every((name) => PLAIN_HEADERS.has(name.toLowerCase()))) return false;
  return prefixes.some((prefix) => url.pathname.startsWith(prefix) && TOKEN.test(url.pathname.slice(prefix.length)));
}

/** Payload and signature in base64url, as `signDownload` makes them. */
const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

const PLAIN_HEADERS = new Set(['accept', 'accept-encoding', 'accept-language', 'cache-control', 'pragma', 'range', 'user-agent']);
