import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { buildConnector } from 'undici';
import type { OutboundSocket, OutboundTarget } from '../domain/outbound.ts';
import { type AddressVerdict, isPublicAddress, isSameAddress } from './addresses/outbound-address.ts';
import { OutboundError, OwnAddressError, toOutboundError } from './outbound-error.ts';
import type { HostOverride } from './outbound-override.ts';
import type { OwnJudge } from './outbound-own.ts';
import { bareHost, hostOf, portOf } from './outbound-target.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ConnectorRules {
  judge(address: string): AddressVerdict;
  /** Whether public addresses may be called on ports other than 443. */
  anyPort: boolean;
  /** Parts of the service itself are never called. */
  isOwn: OwnJudge;
  resolve: Resolve;
  /**
   * Hosts whose requests go to another address. An override skips `judge` and `anyPort`, but never
   * allows a part of the service.
   */
  overrides?: ReadonlyMap<string, HostOverride>;
  /** Replaces the system's certificate authorities. */
  ca?: string;
}

/**
 * Returns a connector to allowed addresses only. It connects to the address that was checked, so
 * that a DNS change in between has no effect.
 */
export function guardedConnector({ resolve, overrides, isOwn, ca, ...rules }: ConnectorRules): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS, ...(ca && { ca }) });
  return (options, callback) => {
    const host = bareHost(options.hostname);
    const override = overrides?.get(host.toLowerCase());
    const port = override?.port ?? portOf({ port: options.port, protocol: options.protocol });
    resolveHost(override?.address ?? host, resolve)
      .then(async (addresses) => {
        await refuseOwn(isOwn, addresses, host, port);
        return override ? addresses : callable(addresses, host, options.port, rules);
      })
      .then((addresses) => connectToOne(connect, override ? { ...options, port: String(port) } : options, host, addresses))
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
  };
}

const CONNECT_TIMEOUT_MS = 5_000;
const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Returns all addresses of a host. Throws an OutboundError when the name server does not answer in
 * time, or the resolver's error.
 */
export async function resolveHost(host: string, resolve: Resolve, timeoutMs = RESOLVE_TIMEOUT_MS): Promise<string[]> {
  if (isIP(host)) return [host];
  const timer = new AbortController();
  const late = setTimeout(timeoutMs, undefined, { signal: timer.signal, ref: false }).then((): never => {
    throw new OutboundError('timeout', `${host} cannot be found at the moment: the name server does not answer.`);
  });
  try {
    return await Promise.race([resolve(host), late]);
  } finally {
    timer.abort();
  }
}

/**
 * If an address is public, all must be public, or all must be configured. Otherwise the owner of
 * the name could redirect calls to a private address. Throws an OutboundError if no address is
 * allowed, or if the port is not allowed.
 */
function callable(
  addresses: string[],
  host: string,
  port: string,
  { judge, anyPort }: Pick<ConnectorRules, 'judge' | 'anyPort'>,
): string[] {
  const configured = addresses.filter((address) => judge(address) === 'configured');
  if (configured.length > 0 && configured.length === addresses.length) return configured;

  const publicCount = addresses.filter(isPublicAddress).length;
  if (publicCount === 0 && configured.length > 0) return configured;
  if (publicCount === 0 || publicCount < addresses.length)
    throw new OutboundError('blocked', `${host} is not a public address, so it may not be called.`);
  if (configured.length > 0) return configured;
  if (!anyPort && !USUAL_PORTS.has(port)) throw new OutboundError('blocked', `Only port 443 of ${host} may be called.`);
  return addresses;
}

async function refuseOwn(isOwn: OwnJudge, addresses: string[], host: string, port: number): Promise<void> {
  const known = addresses.filter((address) => isIP(address) !== 0);
  if (await isOwn(known, port, host)) throw new OwnAddressError(host, port);
}

/** An empty `URL.port` means 443 here: without `anyPort`, plain HTTP is refused earlier. */
const USUAL_PORTS = new Set(['', '443']);

async function connectToOne(
  connect: buildConnector.connector,
  options: buildConnector.Options,
  host: string,
  addresses: string[],
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ATTEMPTS)) {
    try {
      return await connectTo(connect, options, host, address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

const MAX_ATTEMPTS = 4;

function connectTo(connect: buildConnector.connector, options: buildConnector.Options, host: string, address: string): Promise<Socket> {
  const servername = options.protocol === 'https:' && isIP(host) === 0 ? host : undefined;
  return new Promise((resolve, reject) => {
    connect({ ...options, hostname: address, servername }, (error, socket) => {
      if (error) return reject(error);
      if (isSameAddress(socket.remoteAddress ?? '', address)) return resolve(socket);
      socket.destroy();
      reject(new OutboundError('blocked', `The connection to ${host} did not reach the address that was checked.`));
    });
  });
}

/** Returns all addresses of a name in the system's resolver. */
export async function resolveAll(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true });
  return answers.map(({ address }) => address);
}

/**
 * Returns a function that opens sockets for protocols other than HTTP. The function rejects with an
 * OutboundError. `allowPlain`: whether protocols without encryption are allowed.
 */
export function socketOpener(connector: buildConnector.connector, allowPlain: boolean) {
  return async ({ host, port, isEncrypted, signal }: OutboundTarget): Promise<OutboundSocket> => {
    const url = addressOf(host, port);
    if (!url) throw new OutboundError('invalid', `${JSON.stringify(host.slice(0, 100))} and ${port} are not a host and a port.`);
    if (!isEncrypted && !allowPlain) throw new OutboundError('blocked', `Only encrypted connections to ${hostOf(url)} may be opened.`);
    const opened = openSocket(connector, url);
    try {
      return await Promise.race([opened, aborted(signal, hostOf(url))]);
    } catch (error) {
      opened.then((socket) => socket.destroy()).catch(() => {});
      throw toOutboundError(error, hostOf(url));
    }
  };
}

/** A URL normalizes every notation of an IP address. */
function addressOf(host: string, port: number): URL | undefined {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const isPlain = url !== null && url.pathname === '/' && !url.username && !url.password && !url.search && !url.hash;
  return isPlain && /^[^\s:/?#@\\]+$|^[\da-f:.]+$/i.test(host) && hostOf(url) !== '' && port > 0 ? url : undefined;
}

function openSocket(connector: buildConnector.connector, { hostname, host, port }: URL): Promise<OutboundSocket> {
  return new Promise((resolve, reject) => {
    connector({ hostname, host, port, protocol: 'http:' }, (error, socket) => (error ? reject(error) : resolve(socket)));
  });
}

function aborted(signal: AbortSignal | undefined, host: string): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () => reject(new OutboundError('aborted', `The connection to ${host} was canceled.`, { cause: signal?.reason }));
    if (signal?.aborted) refuse();
    signal?.addEventListener('abort', refuse, { once: true });
  });
}
