import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, isWithin, type Range, readRanges } from './address-ranges.ts';

/**
 * Whether an address may be called: `public` unicast, `configured` for development, or `denied`. A
 * lax notation such as `127.1` is denied.
 */
export type AddressVerdict = 'public' | 'configured' | 'denied';

/** Returns a function that classifies addresses. Throws a SetupError for an invalid CIDR range. */
export function addressJudge(allowCidrs: readonly string[]): (address: string) => AddressVerdict {
  const configured = readRanges('OUTBOUND_ALLOW_CIDRS', allowCidrs);
  return (text) => {
    if (isIP(text) === 0) return 'denied';
    const address = ipaddr.parse(text);
    if (isWithin(address, configured)) return 'configured';
    return isPublicUnicast(address) ? 'public' : 'denied';
  };
}

/** Whether an address is public unicast, regardless of the configuration. */
export function isPublicAddress(text: string): boolean {
  return isIP(text) !== 0 && isPublicUnicast(ipaddr.parse(text));
}

/** Whether two notations denote the same address. */
export function isSameAddress(a: string, b: string): boolean {
  return isIP(a) !== 0 && isIP(b) !== 0 && plainAddress(a) === plainAddress(b);
}

/**
 * Returns the canonical notation of an address, without a zone. An IPv4-mapped address becomes
 * IPv4.
 */
export function plainAddress(address: string): string {
  return ipaddr.process(withoutZone(address)).toNormalizedString();
}

/**
 * Returns the address, followed by the embedded IPv4 address if there is one (RFC 6052, RFC 3056,
 * RFC 4291 section 2.5.5.1). A network translator would call the embedded address.
 */
export function addressesWithin(text: string): string[] {
  const address = ipaddr.process(withoutZone(text));
  if (address.kind() === 'ipv4') return [text];
  const bytes = address.toByteArray();
  const embedded = CARRIERS.filter(([net]) => isWithin(address, [net])).map(([, at]) => bytes.slice(at, at + 4).join('.'));
  return [text, ...embedded];
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0]!;
}

function isPublicUnicast(address: Address): boolean {
  if (address.kind() === 'ipv6' && !isWithin(address, [GLOBAL_IPV6])) return false;
  return !isWithin(address, SPECIAL);
}

/**
 * Global unicast. IPv4-mapped, IPv4-compatible, NAT64, local and multicast addresses are outside.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Ranges that embed an IPv4 address, with the index of its first byte. */
const CARRIERS = [
  ['::/96', 12], // IPv4-compatible
  ['64:ff9b::/96', 12], // NAT64
  ['64:ff9b:1::/48', 12], // NAT64 of a local network that uses a prefix of 96 bits
  ['2002::/16', 2], // 6to4
].map(([cidr, at]): [Range, number] => [ipaddr.parseCIDR(cidr as string), at as number]);

/**
 * The special-purpose ranges of the IANA registries (RFC 6890 and updates), multicast, and ranges
 * that embed other addresses.
 */
const SPECIAL = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((cidr): Range => ipaddr.parseCIDR(cidr));
