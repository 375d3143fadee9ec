import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isSameAddress, plainAddress } from './outbound-address.ts';
import type { OwnPart } from './own-parts.ts';

/** Whether one of these addresses, at that port, is a part of the service itself. */
export type OwnJudge = (addresses: readonly string[], port: number) => Promise<boolean>;

/** For how long it is remembered where a name of a part leads. */
const REMEMBER_MS = 5_000;

/** Judges by addresses, whatever names lead there; of a part on this machine every address of this machine counts. */
export function ownJudge(parts: readonly OwnPart[], resolve: (host: string) => Promise<string[]>): OwnJudge {
  const remembered = new Map<string, { until: number; addresses: Promise<string[]> }>();
  /** A name that leads nowhere leads no caller there either. */
  const addressesOf = (host: string): Promise<string[]> => {
    if (isIP(host)) return Promise.resolve([host]);
    const known = remembered.get(host);
    if (known && known.until > performance.now()) return known.addresses;
    const addresses = resolve(host).then(
      (found) => found.filter((one) => isIP(one) !== 0),
      (): string[] => [],
    );
    remembered.set(host, { until: performance.now() + REMEMBER_MS, addresses });
    return addresses;
  };

  return async (addresses, port) => {
    const there = parts.filter((part) => part.port === port);
    const own = (await Promise.all(there.map(({ host }) => addressesOf(host)))).flat();
    if (own.length === 0) return false;
    const isHere = hereJudge();
    const hasPartHere = own.some(isHere);
    return addresses.some((address) => (hasPartHere && isHere(address)) || own.some((one) => isSameAddress(one, address)));
  };
}

/** Whether an address is one of this machine. */
function hereJudge(): (address: string) => boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const own = new Set(interfaces.map(plainAddress));
  return (address) => {
    const plain = plainAddress(address);
    return own.has(plain) || plain.startsWith('127.') || LOCAL.has(plain);
  };
}

const LOCAL = new Set(['0.0.0.0', '::', '::1'].map(plainAddress));
