import ipaddr from 'ipaddr.js';
import { SetupError, type VARIABLES } from '../config.ts';

/** A parsed IP address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR form, with the length of its prefix in bits. */
export type Range = [Address, number];

export function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** Parses CIDR ranges such as `127.0.0.0/8`. Throws a SetupError that names `setting`. */
export function readRanges(setting: keyof typeof VARIABLES, texts: readonly string[]): Range[] {
  return texts.map((text) => {
    if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
    throw new SetupError(`${setting} holds ${JSON.stringify(text)}, which is not a range such as 127.0.0.0/8. See docs/running.md.`);
  });
}
