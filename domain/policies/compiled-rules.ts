import { type Globs, readGlobs } from './match-globs.ts';
import { normalHostPattern } from './normal-host.ts';
import { literalPath, normalPathPrefix } from './normal-path.ts';
import { normalText } from './normal-text.ts';
import type { PolicyRules } from './policy.ts';
import { deniedReadings, normalRecipientPattern } from './read-recipient.ts';

/** `names` finds whole names and patterns `*.name`. `globs` has the other patterns. */
export interface DomainList {
  names: ReadonlySet<string>;
  globs: Globs | undefined;
}

/** A folder in a policy, as written and in the form that is compared. */
export interface PathPrefix {
  written: string;
  normal: string;
  /** The folder without leading and trailing slashes, otherwise unchanged. */
  literal: string;
}

/** The patterns of a policy in normal form, compiled on first use. */
export interface CompiledRules {
  /** `exact` has the entries without `*`. */
  recipientAllowlist(): { any: Globs; exact: Globs };
  recipientDenylist(): Globs;
  domainAllowlist(): DomainList;
  domainDenylist(): DomainList;
  storagePathPrefixes(): PathPrefix[];
}

const known = new WeakMap<PolicyRules, CompiledRules>();

/**
 * Returns the compiled rules of a policy. They are cached per `rules` object, so the rules must not
 * change.
 */
export function compiledRules(rules: PolicyRules): CompiledRules {
  const kept = known.get(rules);
  if (kept) return kept;
  const compiled: CompiledRules = {
    recipientAllowlist: lazy(() => {
      const patterns = (rules.recipientAllowlist ?? []).flatMap((entry) => [normalText(entry).trim(), normalRecipientPattern(entry)]);
      return { any: readGlobs(patterns), exact: readGlobs(patterns.filter((pattern) => !pattern.includes('*'))) };
    }),
    recipientDenylist: lazy(() => readGlobs((rules.recipientDenylist ?? []).flatMap(deniedReadings))),
    domainAllowlist: lazy(() => readDomains(rules.domainAllowlist ?? [])),
    domainDenylist: lazy(() => readDomains(rules.domainDenylist ?? [])),
    storagePathPrefixes: lazy(() => (rules.storagePathPrefixes ?? []).map(readPrefix)),
  };
  known.set(rules, compiled);
  return compiled;
}

/** Compiles all rules before the first call. */
export function compileAhead(rules: PolicyRules): void {
  const compiled = compiledRules(rules);
  if (rules.recipientAllowlist) compiled.recipientAllowlist();
  if (rules.recipientDenylist) compiled.recipientDenylist();
  if (rules.domainAllowlist) compiled.domainAllowlist();
  if (rules.domainDenylist) compiled.domainDenylist();
  if (rules.storagePathPrefixes) compiled.storagePathPrefixes();
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function readPrefix(written: string): PathPrefix {
  return { written, normal: normalPathPrefix(written), literal: literalPath(written).replace(/(?<!\/)\/+$/, '') };
}

function readDomains(patterns: readonly string[]): DomainList {
  const normal = patterns.map(domainPattern);
  const others = normal.filter((pattern) => pattern.lastIndexOf('*') > 0 || /^\*(?!\.)/.test(pattern));
  return { names: new Set(normal), globs: others.length > 0 ? readGlobs(others) : undefined };
}

/** An IPv6 address without brackets cannot have a port. */
const PORT = /^([^:\]]*|.*\][^:\]]*):\d*$/s;

/**
 * The host pattern of a domain in a policy. The policy may write the domain as a URL, with a port,
 * or with the `@` of an e-mail address.
 */
function domainPattern(pattern: string): string {
  const text = normalText(pattern).trim();
  const authority = text.replace(/^[a-z][a-z0-9+.-]*:[\\/]{2}/, '').replace(/[\\/?#].*$/s, '');
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(PORT, '$1');
  return normalHostPattern(host === '' ? text : host);
}
