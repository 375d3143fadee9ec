import { isIP } from 'node:net';
import type { AddressVerdict } from './addresses/outbound-address.ts';

export interface TargetRules {
  allowHttp: boolean;
  judge(address: string): AddressVerdict;
  /** Whether a name may resolve to a private address. */
  hasConfiguredRanges: boolean;
}

/** Checks a URL by its text, without resolving its host. Returns the URL or the problem. */
export function parseTarget(text: string, rules: TargetRules): { url: URL } | { problem: string } {
  if (text.length > MAX_LENGTH) return { problem: `The URL is longer than ${MAX_LENGTH} characters.` };
  const url = URL.parse(text);
  if (!url) return { problem: 'The URL is not valid. It needs to be absolute, such as https://example.com/path.' };
  const problem = problemWith(url, rules);
  return problem ? { problem } : { url };
}

/** Returns the host for a resolver: without brackets and trailing dot. */
export function hostOf(url: URL): string {
  return bareHost(url.hostname);
}

export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Returns the port of a URL, or the default port of its scheme. */
export function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

const MAX_LENGTH = 16_384;

function problemWith(url: URL, rules: TargetRules): string | undefined {
  const isPlain = url.protocol === 'http:';
  if (url.protocol !== 'https:' && !(isPlain && rules.allowHttp)) return 'Only https addresses may be called.';
  if (url.username || url.password) return 'The URL must not hold a user name or a password. Send them as a header.';

  const host = hostOf(url);
  if (host === '') return 'The URL names no host.';
  const verdict = isIP(host) ? rules.judge(host) : isLoopbackName(host) ? loopbackVerdict(rules) : undefined;
  if (verdict === 'denied') return `${host} is not a public address, so it may not be called.`;

  const isUsualPort = url.port === '';
  const mayUsePort = rules.allowHttp || verdict === 'configured' || (verdict === undefined && rules.hasConfiguredRanges);
  if (!isUsualPort && !mayUsePort) return 'Only port 443 may be called.';
  return undefined;
}

/** Whether resolvers must treat a name as loopback (RFC 6761, section 6.3). */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function loopbackVerdict(rules: TargetRules): AddressVerdict {
  return rules.judge('127.0.0.1') === 'configured' || rules.judge('::1') === 'configured' ? 'configured' : 'denied';
}
