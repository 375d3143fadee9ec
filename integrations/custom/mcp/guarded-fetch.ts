import type { Outbound, OutboundRequest, OutboundStream } from '../../../domain/outbound.ts';

/** The part of the standard `fetch` that the MCP client uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface FetchRules extends Pick<OutboundRequest, 'timeoutMs' | 'maxBytes' | 'redirects'> {
  authenticate?(request: FetchRequest): FetchRequest | Promise<FetchRequest>;
  /** The error for an answer that the MCP client should not handle. */
  refusal?(answer: OutboundStream): Promise<Error | undefined>;
}

/** One request of the MCP client. */
export interface FetchRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Makes a `fetch` from the guarded HTTP client. The limits hold for each request, and so also for a
 * whole event stream. Rejects with OutboundError, and with the errors of `refusal` and
 * `authenticate`.
 */
export function guardedFetch(outbound: Pick<Outbound, 'stream'>, { authenticate, refusal, ...limits }: FetchRules): Fetch {
  return async (address, init = {}) => {
    const asked = { url: new URL(address), method: init.method ?? 'GET', headers: Object.fromEntries(new Headers(init.headers)) };
    const { url, method, headers } = (await authenticate?.(asked)) ?? asked;
    const answer = await outbound.stream({
      ...limits,
      ...{ url: url.href, method, headers },
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
    });
    const refused = await refusal?.(answer);
    if (refused) throw refused;
    return toResponse(answer);
  };
}

function toResponse({ status, headers, body }: OutboundStream): Response {
  if (BODILESS.has(status)) {
    void body.cancel();
    return new Response(null, { status, headers });
  }
  const isEvents = headers['content-type']?.toLowerCase().startsWith('text/event-stream');
  return new Response(isEvents ? body.pipeThrough(wholeLines()) : body, { status, headers });
}

const BODILESS = new Set([204, 205, 304]);
const LINE_ENDS = [0x0a, 0x0d];

/**
 * Passes on only complete lines: the event parser would read an incomplete line again with each
 * chunk, in quadratic time.
 */
function wholeLines(): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const end = Math.max(...LINE_ENDS.map((byte) => chunk.lastIndexOf(byte))) + 1;
      if (end > 0) controller.enqueue(Buffer.concat([...held.splice(0), chunk.subarray(0, end)]));
      if (end < chunk.length) held.push(chunk.subarray(end));
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(Buffer.concat(held));
      held = [];
    },
  });
}
