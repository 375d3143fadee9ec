import { findHosts, tidyHost } from './find-hosts.ts';
import type { PolicyRules } from './policy.ts';
import { listValues, type RuleFinding } from './rule-finding.ts';
import { textsIn } from './texts-in.ts';

/** `domainAllowlist` fires for a host outside it anywhere in the input, `domainDenylist` for one on it. */
export function judgeDomains({ domainAllowlist, domainDenylist }: PolicyRules, input: unknown): RuleFinding[] {
  if (!domainAllowlist && !domainDenylist) return [];
  const found = new Set<string>();
  for (const text of textsIn(input)) findHosts(text, found);
  const hosts = [...found];
  const findings: RuleFinding[] = [];
  if (domainAllowlist) {
    const allowed = new Set(domainAllowlist.map(tidyPattern));
    const fired = hosts.some((host) => !isWithin(host, allowed));
    const tell = () => (fired ? 'a domain is outside the allowlist' : none(hosts, 'every domain is on the allowlist'));
    findings.push({ rule: 'domainAllowlist', fired, tell });
  }
  if (domainDenylist) {
    const denied = new Set(domainDenylist.map(tidyPattern));
    const fired = hosts.some((host) => isWithin(host, denied));
    const tell = () => (fired ? 'a domain is on the denylist' : none(hosts, 'no domain is on the denylist'));
    findings.push({ rule: 'domainDenylist', fired, tell });
  }
  return findings;
}

function none(hosts: string[], otherwise: string): string {
  return hosts.length === 0 ? 'the input names no domain' : `${otherwise} (${listValues(hosts)})`;
}

function tidyPattern(pattern: string): string {
  return pattern.startsWith('*.') ? `*.${tidyHost(pattern.slice(2))}` : tidyHost(pattern);
}

/** Asks for the host and each domain above it, so the cost does not grow with the list. */
function isWithin(host: string, patterns: Set<string>): boolean {
  if (patterns.has(host)) return true;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (patterns.has(`*${host.slice(dot)}`)) return true;
  }
  return false;
}
