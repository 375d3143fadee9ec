/** One request on its way: what a redirect may change. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Whether an answer sends the caller somewhere else. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

/** The request that follows a redirect, as the fetch standard has it; undefined where the location is no URL. Credentials stay with the origin that they were meant for. */
export function nextHop(hop: Hop, status: number, location: string): Hop | undefined {
  const url = URL.parse(location, hop.url.href);
  if (!url) return undefined;
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  const dropped = [...(becomesGet ? ABOUT_BODY : []), ...(url.origin === hop.url.origin ? [] : CREDENTIALS)];
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped.includes(name.toLowerCase()))),
    body: becomesGet ? undefined : hop.body,
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ABOUT_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];
