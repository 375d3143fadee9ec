import { OutboundError } from './outbound-error.ts';

/** The parts of a request that a redirect may change. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Whether an answer is a redirect. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

/**
 * Returns the request that follows a redirect, as in the fetch standard. Undefined if the location
 * is not a URL. Another origin gets only headers without credentials. Throws an OutboundError if
 * another origin would get a body.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop | undefined {
  const url = URL.parse(location, hop.url.href);
  if (!url) return undefined;
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  const method = becomesGet ? 'GET' : hop.method;
  const body = becomesGet ? undefined : hop.body;
  const isElsewhere = url.origin !== hop.url.origin;
  if (isElsewhere && body !== undefined) throw bodyStays(hop, url);
  const isKept = (name: string) => (isElsewhere ? HARMLESS.has(name) : !becomesGet || !ABOUT_BODY.has(name));
  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => isKept(name.toLowerCase())));
  return { url, method, headers, body };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ABOUT_BODY = new Set(['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location']);
/** These headers contain no credential. */
const HARMLESS = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'pragma',
  'range',
  'user-agent',
]);

function bodyStays({ url: { host: from } }: Hop, { host: to }: URL): OutboundError {
  return new OutboundError(
    'redirect_refused',
    `${from} redirects to ${to}, and the body of a request is not sent on to another origin. Send the request to ${to} directly, if that is intended.`,
  );
}
