import { isIP } from 'node:net';
import type { AddressVerdict } from './outbound-address.ts';

export interface TargetRules {
  allowHttp: boolean;
  judge(address: string): AddressVerdict;
  /** Whether any private range is configured, so that a name may turn out to be in it. */
  hasConfiguredRanges: boolean;
}

/** A URL that may be tried, as far as its text can tell, or a sentence that says why not (design: security, outbound). */
export function parseTarget(text: string, rules: TargetRules): { url: URL } | { problem: string } {
  if (text.length > MAX_LENGTH) return { problem: `The URL is longer than ${MAX_LENGTH} characters.` };
  const url = URL.parse(text);
  if (!url) return { problem: 'The URL is not valid. It needs to be absolute, such as https://example.com/path.' };
  const problem = problemWith(url, rules);
  return problem ? { problem } : { url };
}

/** The host of a URL as a resolver wants it: no brackets, no trailing dot. */
export function hostOf(url: URL): string {
  return bareHost(url.hostname);
}

export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
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

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function loopbackVerdict(rules: TargetRules): AddressVerdict {
  return rules.judge('127.0.0.1') === 'configured' || rules.judge('::1') === 'configured' ? 'configured' : 'denied';
}
