import { restrains } from './match-policies.ts';
import { comparePolicies, type Policy, type PolicyRules } from './policy.ts';
import { normalNames } from './policy-filters.ts';

/** An earlier policy that decides calls that match a later policy. */
export interface Overlap {
  by: Policy;
  /** Whether `by` decides all of these calls. */
  isWhole: boolean;
}

/**
 * Returns an earlier policy that decides all calls of `policy`, or else the earlier policies that
 * let through calls that `policy` would stop. Does not find several policies that together decide
 * all calls.
 */
export function findOverlaps(policy: Policy, others: readonly Policy[]): Overlap[] {
  const before = others.filter(
    (other) =>
      other.id !== policy.id && other.enabled && other.mode === 'enforce' && comparePolicies(other, policy) < 0 && meet(other, policy),
  );
  const whole = before.find((other) => isWithinFilters(policy, other) && decidesFirst(other, policy));
  if (whole) return [{ by: whole, isWhole: true }];
  if (!restrains(policy)) return [];
  return before.filter((other) => !restrains(other) && isUnconditional(other)).map((by) => ({ by, isWhole: false }));
}

const NAMES = [
  'mcpServerIds',
  'workspaceIntegrationIds',
  'integrationNames',
  'integrationAliases',
  'actionNames',
  'connectionStrategies',
] as const;

function meet(one: Policy, other: Policy): boolean {
  return (
    (one.workspaceId === null || other.workspaceId === null || one.workspaceId === other.workspaceId) &&
    one.sources.some((source) => other.sources.includes(source)) &&
    (one.endUserMode === 'any' || other.endUserMode === 'any' || one.endUserMode === other.endUserMode) &&
    NAMES.every((name) => {
      if (one[name].length === 0 || other[name].length === 0) return true;
      const names = normalNames(other[name]);
      return [...normalNames(one[name])].some((value) => names.has(value));
    })
  );
}

function isWithinFilters(policy: Policy, other: Policy): boolean {
  return (
    (other.workspaceId === null || other.workspaceId === policy.workspaceId) &&
    policy.sources.every((source) => other.sources.includes(source)) &&
    (other.endUserMode === 'any' || other.endUserMode === policy.endUserMode) &&
    NAMES.every(
      (name) => other[name].length === 0 || (policy[name].length > 0 && isWithin(normalNames(policy[name]), normalNames(other[name]))),
    )
  );
}

function isWithin<Value>(values: Iterable<Value>, others: ReadonlySet<Value>): boolean {
  for (const value of values) if (!others.has(value)) return false;
  return true;
}

function decidesFirst(first: Policy, other: Policy): boolean {
  if (isUnconditional(first)) return true;
  // A match with `isUnsure` that lets a call through does not override a policy that stops the
  // call.
  if (!restrains(first) || other.riskMode !== 'rules' || first.riskMode === 'always') return false;
  const rules = Object.keys(other.rules) as (keyof PolicyRules)[];
  return rules.length > 0 && rules.every((rule) => firesWith(rule, first.rules, other.rules));
}

function isUnconditional({ riskMode, rules }: Policy): boolean {
  return riskMode === 'always' || (riskMode === 'rules' && Object.keys(rules).length === 0);
}

function firesWith(rule: keyof PolicyRules, first: PolicyRules, other: PolicyRules): boolean {
  const [ofFirst, ofOther] = [first[rule], other[rule]];
  if (!ofFirst || !ofOther) return false;
  return isAllowlist(rule) ? isWithin(textsOf(ofFirst), textsOf(ofOther)) : isWithin(textsOf(ofOther), textsOf(ofFirst));
}

/** Whether a rule is an allowlist: it fires more often if it lists less. */
export function isAllowlist(rule: string): boolean {
  return rule === 'recipientAllowlist' || rule === 'domainAllowlist';
}

/**
 * Reads and caches the lists of a policy's rules. Reading a thousand policies during the comparison
 * would block other calls.
 */
export function readAhead({ rules }: Policy): void {
  for (const list of Object.values(rules)) textsOf(list);
}

const known = new WeakMap<readonly unknown[], ReadonlySet<string>>();

function textsOf(list: readonly unknown[]): ReadonlySet<string> {
  const kept = known.get(list);
  if (kept) return kept;
  const texts = new Set(list.map((entry) => JSON.stringify(entry)));
  known.set(list, texts);
  return texts;
}
