import { Agent } from 'undici';
import { GatewayError } from '../domain/errors.ts';
import { headerProblem } from '../domain/header-problem.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../domain/outbound.ts';
import { addressJudge } from './outbound-address.ts';
import { ACCEPT_ENCODING, readBody } from './outbound-body.ts';
import { guardedConnector, type Resolve } from './outbound-connector.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { type Hop, isRedirect, nextHop } from './outbound-redirect.ts';
import { hostOf, parseTarget, type TargetRules } from './outbound-target.ts';
import type { OwnPart } from './own-parts.ts';

export interface OutboundSettings {
  allowHttp: boolean;
  allowCidrs: readonly string[];
  /** Parts of the service itself: never called, whatever is allowed. Default none. */
  ownParts?: readonly OwnPart[];
}

export interface OutboundOptions {
  resolve?: Resolve;
  ca?: string;
  /** Requests beyond these wait, and their time runs. Null for no limit. */
  connectionsOfOrigin?: number | null;
}

/** The guarded client (design: security, outbound). Public https addresses only, unless development settings open more; a SetupError for a malformed range. */
export function openOutbound(settings: OutboundSettings, { connectionsOfOrigin = 32, ...outside }: OutboundOptions = {}): Outbound {
  const judge = addressJudge(settings.allowCidrs);
  const rules: TargetRules = { allowHttp: settings.allowHttp, judge, hasConfiguredRanges: settings.allowCidrs.length > 0 };
  const connect = guardedConnector({ judge, anyPort: settings.allowHttp, ownParts: settings.ownParts ?? [], ...outside });
  // The deadline of a request covers everything, so the parser's own time-outs stay out of it.
  const agent = new Agent({ connect, connections: connectionsOfOrigin, headersTimeout: 0, bodyTimeout: 0 });

  return {
    request: (request) => send(agent, rules, request),
    checkUrl(text) {
      const target = parseTarget(text, rules);
      if ('problem' in target) throw new GatewayError('VALIDATION_ERROR', target.problem);
    },
    close: () => agent.destroy(),
  };
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

async function send(agent: Agent, rules: TargetRules, request: OutboundRequest): Promise<OutboundResponse> {
  const { timeoutMs = TIMEOUT_MS, redirects = 'none' } = request;
  const { maxBytes = MAX_BYTES, cutsFailures = false, discardsBody = false } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;

  let hop = firstHop(request, rules);
  for (let followed = 0; ; followed += 1) {
    // The agent heeds the signal only once it is connected.
    const response = await Promise.race([sendOne(agent, hop, { maxBytes, cutsFailures, discardsBody }, signal), aborted(signal)]).catch(
      (error) => {
        if (deadline.aborted)
          throw new OutboundError('timeout', `${hostOf(hop.url)} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
        if (signal.aborted) throw new OutboundError('aborted', `The request to ${hostOf(hop.url)} was canceled.`, { cause: error });
        throw toOutboundError(error, hostOf(hop.url));
      },
    );
    const { location } = response.headers;
    if (redirects === 'none' || !isRedirect(response.status, location)) return response;
    if (followed >= redirects) throw new OutboundError('too_many_redirects', `The address redirects more than ${redirects} times.`);
    const next = redirected(hop, response.status, location, rules);
    if (hostOf(next.url) !== hostOf(hop.url)) await request.beforeRedirect?.(next.url);
    hop = next;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function firstHop({ url, method = 'GET', headers = {}, body }: OutboundRequest, rules: TargetRules): Hop {
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT' || method === 'TRACE')
    throw new OutboundError('invalid', `The method ${JSON.stringify(method.slice(0, 20))} may not be used.`);
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem) throw new OutboundError('invalid', problem);
  }
  return { url: allowed(url, rules), method, headers: withDefaults(headers), body };
}

function withDefaults(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const missing = Object.entries({ 'accept-encoding': ACCEPT_ENCODING, 'user-agent': 'integration-gateway' }).filter(
    ([name]) => !names.has(name),
  );
  return { ...headers, ...Object.fromEntries(missing) };
}

function redirected(hop: Hop, status: number, location: string, rules: TargetRules): Hop {
  const next = nextHop(hop, status, location);
  if (!next) throw new OutboundError('bad_response', `${hostOf(hop.url)} redirects to something that is not a URL.`);
  return { ...next, url: allowed(next.url.href, rules) };
}

function allowed(text: string, rules: TargetRules): URL {
  const target = parseTarget(text, rules);
  if ('problem' in target) throw new OutboundError('blocked', target.problem);
  return target.url;
}

type Bounds = Required<Pick<OutboundRequest, 'maxBytes' | 'cutsFailures' | 'discardsBody'>>;

async function sendOne(agent: Agent, hop: Hop, bounds: Bounds, signal: AbortSignal): Promise<OutboundResponse> {
  const { url, method, headers, body } = hop;
  const { maxBytes, cutsFailures, discardsBody } = bounds;
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    headers,
    body,
    signal,
  });
  const received = flatten(answer.headers);
  const finalUrl = `${url.origin}${url.pathname}${url.search}`;
  if (discardsBody) {
    // A short one is read away, so that the connection can be used again; a long one ends the connection.
    answer.body.dump({ limit: DISCARDED_BYTES }).catch(() => {});
    return { status: answer.statusCode, headers: received, body: Buffer.alloc(0), url: finalUrl };
  }
  const isEmpty = method === 'HEAD' || BODILESS.has(answer.statusCode) || received['content-length'] === '0';
  const mayCut = cutsFailures && answer.statusCode >= 400;
  const read = await readBody(answer.body, isEmpty ? '' : (received['content-encoding'] ?? ''), maxBytes, mayCut);
  if (read.decoded) {
    delete received['content-encoding'];
    delete received['content-length'];
  }
  return {
    status: answer.statusCode,
    headers: received,
    body: read.body,
    isCut: read.isCut,
    url: finalUrl,
  };
}

const DISCARDED_BYTES = 16 * 1024;
const BODILESS = new Set([204, 304]);

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
