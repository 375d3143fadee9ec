import { findHosts, tidyHost } from './find-hosts.ts';
import { matchGlobs } from './match-globs.ts';
import type { ActionCategory, AmountThreshold, PolicyRules } from './policy.ts';

/** The part of a call that rules look at. */
export interface RuleSubject {
  /** Null for an action that nobody knows yet: rules about categories stay quiet. */
  category: ActionCategory | null;
  input: unknown;
  /** Recipients and paths that the action declares; undefined = look for fields of the usual names. */
  recipients?: string[];
  paths?: string[];
}

/** Every rule that fires for a call, each as a sentence naming the rule (decisions section 3). A rule whose value the call does not have stays quiet. */
export function evaluateRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return [
    ...categoryFired(rules, subject),
    ...(rules.amountThresholds ?? []).flatMap((threshold) => thresholdFired(threshold, subject.input)),
    ...recipientsFired(rules, subject),
    ...domainsFired(rules, subject.input),
    ...pathsFired(rules.storagePathPrefixes ?? [], subject),
  ];
}

function categoryFired(rules: PolicyRules, { category }: RuleSubject): string[] {
  return category !== null && rules.actionCategories?.includes(category) ? [`actionCategories: the action is of category ${category}`] : [];
}

function thresholdFired(threshold: AmountThreshold, input: unknown): string[] {
  if (threshold.currency !== undefined) {
    const found = valuesAt(input, threshold.currencyPath ?? 'currency');
    const wanted = threshold.currency.toLowerCase();
    if (found.length > 0 && !found.some((value) => typeof value === 'string' && value.toLowerCase() === wanted)) return [];
  }
  const amounts = valuesAt(input, threshold.path).filter(isAmount).map(Number);
  const over = amounts.find(
    (amount) => (threshold.gte !== undefined && amount >= threshold.gte) || (threshold.gt !== undefined && amount > threshold.gt),
  );
  if (over === undefined) return [];
  const bound = threshold.gte === undefined ? `more than ${threshold.gt}` : `${threshold.gte} or more`;
  return [`amountThresholds: ${threshold.path} is ${bound}`];
}

/** Objects stay out: turning one into a number calls whatever its input named `valueOf`. */
function isAmount(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}

/** The values at a dotted path; `*` stands for any array item or key. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (found, part) =>
      found.flatMap((item) => {
        if (item === null || typeof item !== 'object') return [];
        if (part === '*') return Object.values(item);
        return Object.hasOwn(item, part) ? [(item as Record<string, unknown>)[part]] : [];
      }),
    [value],
  );
}

function recipientsFired({ recipientAllowlist: allowed, recipientDenylist: denied }: PolicyRules, subject: RuleSubject): string[] {
  if (!allowed && !denied) return [];
  const whole = [...new Set(recipientsOf(subject))];
  const single = [...new Set(whole.flatMap(addressesIn))];
  const isAllowed = allowed && matchGlobs(allowed);
  const isDenied = denied && matchGlobs(denied);
  return listsFired(
    'recipient',
    isAllowed && single.some((value) => !isAllowed(value)),
    isDenied && (whole.some(isDenied) || single.some(isDenied)),
  );
}

const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'channel', 'user']);

function recipientsOf(subject: RuleSubject): string[] {
  if (subject.recipients) return subject.recipients;
  const input = subject.input;
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input)
    .filter(([key]) => RECIPIENT_FIELDS.has(key.toLowerCase()))
    .flatMap(([, value]) => textsIn(value));
}

/** One field may name several people, and each as `Name <address>`. */
function addressesIn(recipients: string): string[] {
  return recipients
    .split(/[,;\r\n]/)
    .map((part) => (part.trimEnd().endsWith('>') ? part.slice(part.lastIndexOf('<') + 1, part.lastIndexOf('>')) : part).trim())
    .filter((part) => part !== '');
}

function domainsFired({ domainAllowlist, domainDenylist }: PolicyRules, input: unknown): string[] {
  if (!domainAllowlist && !domainDenylist) return [];
  const found = new Set<string>();
  for (const text of textsIn(input)) findHosts(text, found);
  const hosts = [...found];
  const allowed = domainAllowlist && new Set(domainAllowlist.map(tidyPattern));
  const denied = domainDenylist && new Set(domainDenylist.map(tidyPattern));
  return listsFired(
    'domain',
    allowed && hosts.some((host) => !isWithin(host, allowed)),
    denied && hosts.some((host) => isWithin(host, denied)),
  );
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

function listsFired(kind: 'recipient' | 'domain', outside: boolean | undefined, denied: boolean | undefined): string[] {
  return [
    ...(outside ? [`${kind}Allowlist: a ${kind} is outside the allowlist`] : []),
    ...(denied ? [`${kind}Denylist: a ${kind} is on the denylist`] : []),
  ];
}

/** Every text in a value, keys included; numbers too, since a handle may be one. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'number') found.push(String(value));
  else if (Array.isArray(value)) for (const item of value) textsIn(item, found);
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      found.push(key);
      textsIn(item, found);
    }
  }
  return found;
}

const PATH_FIELDS = new Set(['path', 'prefix', 'file', 'filepath', 'filename', 'key', 'destination']);

function pathsFired(prefixes: string[], subject: RuleSubject): string[] {
  if (prefixes.length === 0) return [];
  const paths = (subject.paths ?? namedPaths(subject.input)).map(normalizePath);
  return prefixes
    .filter((prefix) => isAbove(normalizePath(prefix), paths))
    .map((prefix) => `storagePathPrefixes: a path is under ${prefix}`);
}

function namedPaths(input: unknown): string[] {
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input).flatMap(([key, value]) => (PATH_FIELDS.has(key.toLowerCase()) && typeof value === 'string' ? [value] : []));
}

function isAbove(prefix: string, paths: string[]): boolean {
  return paths.some((path) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`));
}

/** A path without empty, `.` and `..` parts; it never climbs above its root. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
