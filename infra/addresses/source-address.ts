import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, isWithin, readRanges } from './address-ranges.ts';

/** Finds the source address of a request, from its socket address and X-Forwarded-For. */
export type SourceAddress = (socketAddress: string | undefined, forwardedFor: string) => string;

/**
 * Returns a function that reads X-Forwarded-For from right to left, up to the first address that is
 * not a trusted proxy. The caller can forge all addresses to the left of it. An IPv6 source is
 * named by its /64 network. Throws a SetupError for an invalid entry of `trusted`.
 */
export function openSourceAddress(trusted: readonly string[]): SourceAddress {
  const ranges = rangesOf(trusted);
  return (socketAddress, forwardedFor) => {
    let source = parse(socketAddress ?? '');
    for (const hop of forwardedFor.split(',').reverse()) {
      if (!source || !isWithin(source, ranges)) break;
      const before = parse(hop.trim());
      if (!before) break;
      source = before;
    }
    return source ? nameOf(source) : 'unknown';
  };
}

/** Returns a function that recognizes trusted proxies. Throws a SetupError for an invalid entry. */
export function openProxyJudge(trusted: readonly string[]): (socketAddress: string | undefined) => boolean {
  const ranges = rangesOf(trusted);
  return (socketAddress) => {
    const address = parse(socketAddress ?? '');
    return address !== undefined && isWithin(address, ranges);
  };
}

function rangesOf(trusted: readonly string[]) {
  return readRanges('TRUSTED_PROXIES', trusted.map(toRange));
}

function toRange(text: string): string {
  const bits = { 0: '', 4: '/32', 6: '/128' }[isIP(text)];
  return text + bits;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * Parses an address in strict notation. An IPv4-mapped address becomes IPv4. Undefined for other
 * text.
 */
function parse(text: string): Address | undefined {
  const [, inBrackets, ipv4] = WITH_PORT.exec(text) ?? [];
  const [address] = (inBrackets ?? ipv4 ?? text).split('%', 1);
  return isIP(address!) === 0 ? undefined : ipaddr.process(address!);
}

const NETWORK_BITS = 64;

function nameOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${NETWORK_BITS}`).toString()}/${NETWORK_BITS}`;
}
