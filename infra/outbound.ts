import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { GatewayError } from '../domain/errors.ts';
import { headerProblem } from '../domain/header-problem.ts';
import type { OutboundRequest, OutboundResponse, OutboundStream, ServiceOutbound } from '../domain/outbound.ts';
import { addressJudge } from './addresses/outbound-address.ts';
import { ACCEPT_ENCODING, type Deadline, type Receive, receiveStream, receiveWhole } from './outbound-body.ts';
import { guardedConnector, type Resolve, resolveAll, resolveHost, socketOpener } from './outbound-connector.ts';
import { isPlainDownload } from './outbound-download.ts';
import { OutboundError, OwnAddressError, toOutboundError } from './outbound-error.ts';
import { withLoopId } from './outbound-loop.ts';
import type { HostOverride } from './outbound-override.ts';
import { ownJudge } from './outbound-own.ts';
import { type Hop, isRedirect, nextHop } from './outbound-redirect.ts';
import { hostOf, isLoopbackName, parseTarget, portOf, type TargetRules } from './outbound-target.ts';
import type { OwnApi, OwnPart } from './own-parts.ts';

export interface OutboundSettings {
  allowHttp: boolean;
  allowCidrs: readonly string[];
  /** Hosts whose requests go to another address, for development. Default: none. */
  overrides?: ReadonlyMap<string, HostOverride>;
  /** Parts of the service that are never called. Default: none. */
  ownParts?: readonly OwnPart[];
  /**
   * The API and the pages of the service. Requests to them may reach only downloads of stored
   * files. Default: none.
   */
  ownApi?: OwnApi;
  /** Sent in CDN-Loop (RFC 8586), so that the service recognizes a request loop. Default: none. */
  loopId?: string;
  serviceUrl?: string;
}

export interface OutboundOptions {
  resolve?: Resolve;
  ca?: string;
  /**
   * Maximum per origin. Further requests wait for a free connection. Null: no limit. Default: 32.
   */
  connectionsOfOrigin?: number | null;
}

/**
 * Opens the guarded HTTP client. It allows public https addresses only, unless development settings
 * allow more. Throws a SetupError for an invalid range.
 */
export function openOutbound(settings: OutboundSettings, options: OutboundOptions = {}): ServiceOutbound {
  const { ownParts = [], ownApi, loopId, overrides } = settings;
  const { connectionsOfOrigin = 32, resolve = resolveAll, ca } = options;
  const judge = addressJudge(settings.allowCidrs);
  const rules: TargetRules = { allowHttp: settings.allowHttp, judge, hasConfiguredRanges: settings.allowCidrs.length > 0 };
  const allOwn = [...ownParts, ...(ownApi?.parts ?? [])];
  const judgeOwn = (parts: readonly OwnPart[]) => ownJudge(parts, (host) => resolveHost(host, resolve));
  const isOwn = judgeOwn(allOwn);
  const shared = { judge, resolve, ...(overrides && { overrides }), ...(ca && { ca }) };
  const agentThatRefuses = (isRefused: typeof isOwn) => {
    const connect = guardedConnector({ ...shared, anyPort: settings.allowHttp, isOwn: isRefused });
    // The deadline of the request covers everything, so undici's time-outs are off.
    return new Agent({ connect, connections: connectionsOfOrigin, headersTimeout: 0, bodyTimeout: 0 });
  };
  // Downloads have a separate pool, so that their connections to the service carry nothing else.
  const agent = agentThatRefuses(isOwn);
  const downloads = ownApi && agentThatRefuses(judgeOwn(ownParts));
  const agentFor = (hop: Hop) => (downloads && isPlainDownload(hop, ownApi.downloadPrefixes) ? downloads : agent);

  const checkUrl = (text: string): URL => {
    const target = parseTarget(text, rules);
    if ('problem' in target) throw new GatewayError('VALIDATION_ERROR', target.problem);
    return target.url;
  };
  return {
    serviceUrl: settings.serviceUrl,
    request: (request) => send({ agentFor, loopId }, rules, request, receiveWhole),
    stream: (request) => send({ agentFor, loopId }, rules, request, receiveStream),
    checkUrl: (text) => void checkUrl(text),
    connect: socketOpener(guardedConnector({ ...shared, anyPort: true, isOwn }), settings.allowHttp),
    async checkDestination(text) {
      const url = checkUrl(text);
      const [host, port] = [hostOf(url), portOf(url)];
      if (!allOwn.some((part) => part.port === port)) return;
      const looked = isLoopbackName(host) ? ['127.0.0.1'] : await resolveHost(host, resolve, CHECK_TIMEOUT_MS).catch((): string[] => []);
      const addresses = looked.filter((address) => isIP(address) !== 0);
      if (await isOwn(addresses, port, host)) throw new GatewayError('VALIDATION_ERROR', new OwnAddressError(host, port).message);
    },
    close: () => Promise.all([agent.destroy(), downloads?.destroy()]).then(() => {}),
  };
}

interface Sender {
  agentFor(hop: Hop): Agent;
  loopId: string | undefined;
}

/** Short because a caller waits; each request checks its destination again. */
const CHECK_TIMEOUT_MS = 1_000;
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

function deadlineOf({ timeoutMs = TIMEOUT_MS, signal: given }: OutboundRequest): Deadline {
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([deadline, given]) : deadline;
  return {
    signal,
    failure(error, host) {
      if (deadline.aborted) return new OutboundError('timeout', `${host} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
      if (signal.aborted) return new OutboundError('aborted', `The request to ${host} was canceled.`, { cause: error });
      return toOutboundError(error, host);
    },
  };
}

async function send<Answer extends OutboundResponse | OutboundStream>(
  sender: Sender,
  rules: TargetRules,
  request: OutboundRequest,
  receive: Receive<Answer>,
): Promise<Answer> {
  const { redirects = 'none', maxBytes = MAX_BYTES, cutsFailures = false, discardsBody = false } = request;
  const deadline = deadlineOf(request);
  const { signal } = deadline;

  let hop = firstHop(request, rules);
  for (let followed = 0; ; followed += 1) {
    const sendOne = async () => receive(await exchange(sender, hop, signal), hop, { maxBytes, cutsFailures, discardsBody }, deadline);
    // The agent ignores the signal until the connection is open.
    const response = await Promise.race([sendOne(), aborted(signal)]).catch((error) => {
      throw deadline.failure(error, hostOf(hop.url));
    });
    const { location } = response.headers;
    if (redirects === 'none' || !isRedirect(response.status, location)) return response;
    if (response.body instanceof ReadableStream) await response.body.cancel();
    if (followed >= redirects) throw new OutboundError('too_many_redirects', `The address redirects more than ${redirects} times.`);
    const next = redirected(hop, response.status, location, rules);
    await request.beforeRedirect?.(next.url, hostOf(next.url) !== hostOf(hop.url));
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

function exchange({ agentFor, loopId }: Sender, hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body } = hop;
  return agentFor(hop).request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    headers: withLoopId(headers, loopId),
    body,
    signal,
  });
}
