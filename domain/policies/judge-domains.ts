import type { CallFacts } from './call-facts.ts';
import { compiledRules, type DomainList } from './compiled-rules.ts';
import type { FoundHosts } from './find-hosts.ts';
import { unicodeHost } from './normal-host.ts';
import type { PolicyRules } from './policy.ts';
import { listValues, type RuleFinding, tooLargeFinding } from './rule-finding.ts';
import type { WorkBudget } from './work-budget.ts';

/** Judges both lists of domains. The allowlist admits no disguised host. */
export function judgeDomains(rules: PolicyRules, facts: CallFacts): RuleFinding[] {
  const { domainAllowlist, domainDenylist } = rules;
  return [...(domainAllowlist ? [judgeAllowed(rules, facts)] : []), ...(domainDenylist ? [judgeDenied(rules, facts)] : [])];
}

function judgeAllowed(rules: PolicyRules, facts: CallFacts): RuleFinding {
  const rule = 'domainAllowlist';
  const found = facts.hosts();
  if (!found) return tooLargeFinding(rule);
  const allowed = compiledRules(rules).domainAllowlist();
  for (const host of found.hosts) {
    const isAllowed = isWithin(host, allowed, facts.work);
    if (isAllowed === undefined) return tooLargeFinding(rule);
    if (!isAllowed) return { rule, fired: true, describe: () => 'a domain is outside the allowlist' };
  }
  if (found.isDisguised)
    return { rule, fired: true, isUnsure: true, describe: () => 'a domain contains look-alike or invisible characters' };
  return { rule, fired: false, describe: () => describeUnfired(found, 'every domain is on the allowlist') };
}

function judgeDenied(rules: PolicyRules, facts: CallFacts): RuleFinding {
  const rule = 'domainDenylist';
  const found = facts.hosts();
  if (!found) return tooLargeFinding(rule);
  const denied = compiledRules(rules).domainDenylist();
  for (const host of found.hosts) {
    const isDenied = isWithin(host, denied, facts.work);
    if (isDenied === undefined) return tooLargeFinding(rule);
    if (isDenied) return { rule, fired: true, isUnsure: !allDenied(found, denied, facts), describe: () => 'a domain is on the denylist' };
  }
  return { rule, fired: false, describe: () => describeUnfired(found, 'no domain is on the denylist') };
}

/** Whether all hosts are denied, and each is written out in plain letters. */
function allDenied({ hosts, isDisguised, isDerived }: FoundHosts, denied: DomainList, { work }: CallFacts): boolean {
  return !isDisguised && !isDerived && [...hosts].every((host) => isWithin(host, denied, work) === true);
}

function describeUnfired({ hosts }: FoundHosts, otherwise: string): string {
  return hosts.size === 0 ? 'the input names no domain' : `${otherwise} (${listValues([...hosts])})`;
}

const HOST_WORK_NS = 50;
const LABEL_WORK_NS = 100;

/** Undefined if the work budget is used up. The cost does not grow with the number of names. */
function isWithin(host: string, { names, globs }: DomainList, work: WorkBudget): boolean | undefined {
  if (!work.spend(HOST_WORK_NS)) return undefined;
  if (names.has(host)) return true;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (!work.spend(LABEL_WORK_NS)) return undefined;
    if (names.has(`*${host.slice(dot)}`)) return true;
  }
  if (!globs) return false;
  const fits = globs.match(host, work);
  const unicode = fits === false ? unicodeHost(host) : undefined;
  return unicode === undefined ? fits : globs.match(unicode, work);
}
