import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { type AddressVerdict, isSameAddress } from './outbound-address.ts';
import { OutboundError } from './outbound-error.ts';
import { type OwnJudge, ownJudge } from './outbound-own.ts';
import { bareHost } from './outbound-target.ts';
import type { OwnPart } from './own-parts.ts';

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ConnectorRules {
  judge(address: string): AddressVerdict;
  /** Whether public addresses may be called on other ports than 443. */
  anyPort: boolean;
  /** Parts of the service itself: never called, whatever else is allowed. */
  ownParts?: readonly OwnPart[];
  resolve?: Resolve;
  /** Certificate authorities to trust instead of the usual ones. */
  ca?: string;
}

/**
 * Connects to vetted addresses only. A name is resolved once, here, and the socket goes to an address of that very answer,
 * so a name that changes between check and use gains nothing; literal addresses take the same way.
 */
export function guardedConnector({ resolve = resolveAll, ca, ownParts = [], ...rules }: ConnectorRules): buildConnector.connector {
  const isOwn = ownJudge(ownParts, (host) => resolveInTime(host, resolve));
  const connect = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS, ...(ca && { ca }) });
  return (options, callback) => {
    const host = bareHost(options.hostname);
    vet(host, options.port, resolve, rules)
      .then((addresses) => refuseOwn(isOwn, addresses, host, portOf(options)))
      .then((addresses) => connectToOne(connect, options, host, addresses))
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
  };
}

const CONNECT_TIMEOUT_MS = 5_000;
const RESOLVE_TIMEOUT_MS = 5_000;

async function vet(host: string, port: string, resolve: Resolve, rules: Pick<ConnectorRules, 'judge' | 'anyPort'>): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await resolveInTime(host, resolve);
  const configured = addresses.filter((address) => rules.judge(address) === 'configured');
  if (configured.length > 0) return configured;

  const isPublic = addresses.length > 0 && addresses.every((address) => rules.judge(address) === 'public');
  if (!isPublic) throw new OutboundError('blocked', `${host} is not a public address, so it may not be called.`);
  if (!rules.anyPort && !USUAL_PORTS.has(port)) throw new OutboundError('blocked', `Only port 443 of ${host} may be called.`);
  return addresses;
}

async function refuseOwn(isOwn: OwnJudge, addresses: string[], host: string, port: number): Promise<string[]> {
  if (!(await isOwn(addresses, port))) return addresses;
  throw new OutboundError('blocked', `Port ${port} of ${host} is a part of this service itself, which may never be called.`);
}

/** The port of a URL is empty where it is that of the scheme. */
function portOf({ port, protocol }: buildConnector.Options): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

async function resolveInTime(host: string, resolve: Resolve): Promise<string[]> {
  const timer = new AbortController();
  const late = setTimeout(RESOLVE_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false }).then((): never => {
    throw new OutboundError('timeout', `${host} cannot be found at the moment: the name server does not answer.`);
  });
  try {
    return await Promise.race([resolve(host), late]);
  } finally {
    timer.abort();
  }
}

/** The port of a URL is empty where it is that of the scheme; plain HTTP is refused elsewhere. */
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

async function resolveAll(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true });
  return answers.map(({ address }) => address);
}
