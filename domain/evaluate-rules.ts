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
    ...listsFired('recipient', rules.recipientAllowlist, rules.recipientDenylist, recipientsOf(subject), globMatches),
    ...listsFired('domain', rules.domainAllowlist, rules.domainDenylist, domainsIn(subject.input), domainMatches),
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
    if (found.length > 0 && !found.some((value) => String(value).toLowerCase() === wanted)) return [];
  }
  const amounts = valuesAt(input, threshold.path).map(Number).filter(Number.isFinite);
  const over = amounts.find(
    (amount) => (threshold.gte !== undefined && amount >= threshold.gte) || (threshold.gt !== undefined && amount > threshold.gt),
  );
  if (over === undefined) return [];
  const bound = threshold.gte === undefined ? `more than ${threshold.gt}` : `${threshold.gte} or more`;
  return [`amountThresholds: ${threshold.path} is ${bound}`];
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

function listsFired(
  kind: 'recipient' | 'domain',
  allowlist: string[] | undefined,
  denylist: string[] | undefined,
  found: string[],
  matches: (value: string, pattern: string) => boolean,
): string[] {
  const outside = allowlist && found.some((value) => !allowlist.some((pattern) => matches(value, pattern)));
  const denied = denylist && found.some((value) => denylist.some((pattern) => matches(value, pattern)));
  return [
    ...(outside ? [`${kind}Allowlist: a ${kind} is outside the allowlist`] : []),
    ...(denied ? [`${kind}Denylist: a ${kind} is on the denylist`] : []),
  ];
}

const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'channel', 'user']);

function recipientsOf(subject: RuleSubject): string[] {
  if (subject.recipients) return subject.recipients;
  const input = subject.input;
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input)
    .filter(([key]) => RECIPIENT_FIELDS.has(key.toLowerCase()))
    .flatMap(([, value]) => stringsIn(value));
}

/** Hosts of URLs and of e-mail addresses anywhere in the input, keys included. */
function domainsIn(input: unknown): string[] {
  const hosts = new Set<string>();
  for (const text of stringsIn(input)) {
    for (const [, host] of text.matchAll(/[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?([^\s/:?#"'<>\\]+)/gi)) hosts.add(tidyHost(host!));
    for (const [, host] of text.matchAll(/[^\s@<>"',;]+@([a-z0-9.-]+\.[a-z0-9-]+)/gi)) hosts.add(tidyHost(host!));
  }
  return [...hosts];
}

function tidyHost(host: string): string {
  return host.toLowerCase().replace(/\.+$/, '');
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (value !== null && typeof value === 'object') return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
  return [];
}

function globMatches(value: string, pattern: string): boolean {
  const expression = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, 's').test(value.toLowerCase());
}

function domainMatches(host: string, pattern: string): boolean {
  const wanted = tidyHost(pattern);
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
}

const PATH_FIELDS = new Set(['path', 'prefix', 'file', 'filepath', 'filename', 'key', 'destination']);

function pathsFired(prefixes: string[], subject: RuleSubject): string[] {
  const paths = subject.paths ?? namedPaths(subject.input);
  return prefixes
    .filter((prefix) => paths.some((path) => isUnder(normalizePath(path), normalizePath(prefix))))
    .map((prefix) => `storagePathPrefixes: a path is under ${prefix}`);
}

function namedPaths(input: unknown): string[] {
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input).flatMap(([key, value]) => (PATH_FIELDS.has(key.toLowerCase()) && typeof value === 'string' ? [value] : []));
}

function isUnder(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
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
