import { isIP } from 'node:net';
import { SetupError } from './config.ts';

/** The actual destination of requests for a host. */
export interface HostOverride {
  /** An IP address, or a name such as that of a container. */
  address: string;
  port: number;
}

const OVERRIDE = /^([^\s=:/]+)=(\[[\da-f:.]+\]|[^\s=:/[\]]+):(\d{1,5})$/i;

/**
 * Parses `OUTBOUND_RESOLVE` into overrides by host in lower case. Requests keep the host's name and
 * expect the host's certificate. Throws a SetupError.
 */
export function hostOverrides(entries: readonly string[]): ReadonlyMap<string, HostOverride> {
  return new Map(entries.map(parseOverride));
}

function parseOverride(text: string): [string, HostOverride] {
  const [, host, bracketed, digits] = OVERRIDE.exec(text.trim()) ?? [];
  const port = Number(digits);
  const address = bracketed?.replace(/^\[|\]$/g, '');
  const isBracketed = bracketed !== address;
  if (host && address && port >= 1 && port <= 65_535 && isIP(host) === 0 && (!isBracketed || isIP(address) === 6)) {
    return [host.toLowerCase(), { address, port }];
  }
  throw new SetupError(
    `OUTBOUND_RESOLVE holds ${JSON.stringify(text)}, which is not a host, an address and a port such as api.example.com=127.0.0.1:8443. See docs/running.md.`,
  );
}
