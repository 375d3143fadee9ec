import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SetupError } from './config.ts';

/** Whether an address may be called: `public` unicast, `configured` for development, or `denied`. Takes the strict notations only; anything else is denied. */
export type AddressVerdict = 'public' | 'configured' | 'denied';

/** Judges addresses. Throws a SetupError for a range that is not written as a CIDR. */
export function addressJudge(allowCidrs: readonly string[]): (address: string) => AddressVerdict {
  const configured = allowCidrs.map(parseAllowed);
  return (text) => {
    if (isIP(text) === 0) return 'denied';
    const address = ipaddr.parse(text);
    if (isWithin(address, configured)) return 'configured';
    return isPublicUnicast(address) ? 'public' : 'denied';
  };
}

/** Whether two notations mean one address. */
export function isSameAddress(a: string, b: string): boolean {
  return isIP(a) !== 0 && isIP(b) !== 0 && plainAddress(a) === plainAddress(b);
}

/** The one notation of an address that every other one of it has in common; of IPv4 within IPv6 that of IPv4. */
export function plainAddress(address: string): string {
  return ipaddr.process(address).toNormalizedString();
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Net = [Address, number];

function isPublicUnicast(address: Address): boolean {
  if (address.kind() === 'ipv6' && !isWithin(address, [GLOBAL_IPV6])) return false;
  return !isWithin(address, SPECIAL);
}

function isWithin(address: Address, nets: readonly Net[]): boolean {
  return nets.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** Only this part of IPv6 is handed out as global unicast: mapped and compatible forms, NAT64, local and multicast ranges all lie outside. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The special-purpose ranges of the IANA registries (RFC 6890 and its updates), and those that carry other addresses inside. */
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
].map((cidr): Net => ipaddr.parseCIDR(cidr));

function parseAllowed(cidr: string): Net {
  if (ipaddr.isValidCIDR(cidr)) return ipaddr.parseCIDR(cidr);
  throw new SetupError(
    `OUTBOUND_ALLOW_CIDRS holds ${JSON.stringify(cidr)}, which is not a range such as 127.0.0.0/8. See docs/running.md.`,
  );
}
