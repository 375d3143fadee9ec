import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressesWithin, isSameAddress, plainAddress } from './addresses/outbound-address.ts';
import type { OwnPart } from './own-parts.ts';

/**
 * Resolves to true if a destination is a part of the service itself: the same port, and the same
 * host name or address.
 */
export type OwnJudge = (addresses: readonly string[], port: number, host?: string) => Promise<boolean>;

/** How long the addresses of a name are cached. */
const REMEMBER_MS = 5_000;

/** Returns a judge for these parts. A part on this machine has all addresses of this machine. */
export function ownJudge(parts: readonly OwnPart[], resolve: (host: string) => Promise<string[]>): OwnJudge {
  const remembered = new Map<string, { until: number; addresses: Promise<string[]> }>();
  /** While a name cannot be resolved, its last known addresses count. */
  const addressesOf = (host: string): Promise<string[]> => {
    if (isIP(host)) return Promise.resolve([host]);
    const known = remembered.get(host);
    if (known && known.until > performance.now()) return known.addresses;
    const addresses = resolve(host).then(
      (found) => found.filter((one) => isIP(one) !== 0),
      () => known?.addresses ?? [],
    );
    remembered.set(host, { until: performance.now() + REMEMBER_MS, addresses });
    return addresses;
  };

  return async (addresses, port, host) => {
    const there = parts.filter((part) => part.port === port);
    if (there.some((part) => part.host === host?.toLowerCase())) return true;
    const own = (await Promise.all(there.map((part) => addressesOf(part.host)))).flat();
    if (own.length === 0) return false;
    const isHere = hereJudge();
    const hasPartHere = own.some(isHere);
    const isOwn = (address: string) => (hasPartHere && isHere(address)) || own.some((one) => isSameAddress(one, address));
    return addresses.flatMap(addressesWithin).some(isOwn);
  };
}

function hereJudge(): (address: string) => boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const own = new Set(interfaces.map(plainAddress));
  return (address) => {
    const plain = plainAddress(address);
    return own.has(plain) || plain.startsWith('127.') || LOCAL.has(plain);
  };
}

const LOCAL = new Set(['0.0.0.0', '::', '::1'].map(plainAddress));
