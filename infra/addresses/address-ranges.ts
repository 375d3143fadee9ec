import ipaddr from 'ipaddr.js';
import { SetupError, type VARIABLES } from '../config.ts';

/** An address in binary form. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: its address and the number of its bits that count. */
export type Range = [Address, number];

export function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** The ranges of a setting, such as `127.0.0.0/8`. Throws a SetupError that names the setting. */
export function readRanges(setting: keyof typeof VARIABLES, texts: readonly string[]): Range[] {
  return texts.map((text) => {
    if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
    throw new SetupError(`${setting} holds ${JSON.stringify(text)}, which is not a range such as 127.0.0.0/8. See docs/running.md.`);
  });
}
