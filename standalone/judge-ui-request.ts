import type { IncomingMessage } from 'node:http';

/** The parts of a request that show where it comes from. */
export type JudgedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

const READS = ['GET', 'HEAD'];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Returns the reason to refuse a request to the Temporal UI, or undefined. Refuses requests from
 * pages of other sites (cross-site request forgery) and under other host names (DNS rebinding).
 * `hosts`: the accepted values of `Host`, in lower case.
 */
export function judgeUiRequest(
  { method = '', url = '', headers, rawHeaders }: JudgedRequest,
  hosts: ReadonlySet<string>,
): string | undefined {
  const named = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const host = headers.host?.toLowerCase() ?? '';
  if (named.length !== 1 || !hosts.has(host)) return 'The Temporal UI does not answer under this Host.';
  if (!/^\/(?!\/)/.test(url)) return 'The request target must be a path.';
  if (!READS.includes(method) && !WRITES.includes(method)) return `The method ${method} is not allowed.`;

  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return 'The request comes from a page of another origin.';
  if (site !== undefined && site !== 'same-origin' && !isVisit(method, url, headers))
    return 'The request comes from a page of another site.';
  if (WRITES.includes(method) && origin === undefined && site === undefined)
    return 'A request that changes something must have the header Origin.';
  return undefined;
}

function isVisit(method: string, url: string, { 'sec-fetch-site': site, ...headers }: JudgedRequest['headers']): boolean {
  if (!READS.includes(method)) return false;
  if (site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document' && !url.startsWith('/api/');
}
