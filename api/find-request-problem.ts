import type { IncomingMessage } from 'node:http';

/**
 * Returns the reason why a proxy in front of this service could read the request differently from
 * this service. Returns undefined if the request is unambiguous (RFC 9112, sections 2.3, 3.2 and
 * 6). Checks the raw headers, because Node joins repeated headers or keeps only the first one.
 * Node's parser already refuses a repeated Content-Length, a Content-Length with chunks, bare line
 * feeds, folded lines and NUL.
 */
export function findRequestProblem({ httpVersion, rawHeaders, method, url = '' }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'it is neither HTTP/1.1 nor HTTP/1.0';
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = names.find((name, index) => ONCE.has(name) && names.indexOf(name) < index);
  if (repeated) return `it has more than one ${SPELLING[repeated] ?? repeated} header`;

  const headerOf = (name: string) => rawHeaders[2 * names.indexOf(name) + 1] ?? '';
  if (!names.includes('host')) {
    if (httpVersion === '1.1') return 'it has no Host header';
  } else if (!HOST.test(headerOf('host'))) return 'its Host header is not a host with an optional port';
  if (names.includes('transfer-encoding')) {
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
    if (headerOf('transfer-encoding').trim().toLowerCase() !== 'chunked') return 'the only supported Transfer-Encoding is chunked';
  }
  const isPath = url.startsWith('/') && !url.includes('#');
  // Proxies send only a path. A host in the target could differ from the Host header.
  if (!isPath && !(url === '*' && method === 'OPTIONS')) return 'its target is not a path';
  return undefined;
}

/**
 * Headers that must not repeat, because they decide who calls, what is called, or how the body is
 * read.
 */
const ONCE = new Set([
  'host',
  'authorization',
  'content-length',
  'content-type',
  'transfer-encoding',
  'origin',
  'x-svc-source',
  'mcp-session-id',
  'mcp-protocol-version',
]);
const SPELLING: Partial<Record<string, string>> = {
  host: 'Host',
  authorization: 'Authorization',
  'content-type': 'Content-Type',
  origin: 'Origin',
};

/** A host and an optional port (RFC 3986, sections 3.2.2 and 3.2.3). */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=%-]+)(?::\d{0,5})?$/i;
