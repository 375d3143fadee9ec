import type { PolicyFields } from './policy.ts';

/** A field such as `priority` or `rules.domainDenylist`. */
export interface PolicyDifference {
  field: string;
  /** Null if absent. */
  before: unknown;
  after: unknown;
}

/** Returns the differing fields of two versions of a policy. Each rule counts as a field. */
export function diffPolicies(before: PolicyFields, after: PolicyFields): PolicyDifference[] {
  const { rules: rulesBefore, ...fieldsBefore } = before;
  const { rules: rulesAfter, ...fieldsAfter } = after;
  return [...differences(fieldsBefore, fieldsAfter), ...differences(rulesBefore, rulesAfter, 'rules.')];
}

function differences(before: object, after: object, prefix = ''): PolicyDifference[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({ field: `${prefix}${name}`, before: old.get(name) ?? null, after: now.get(name) ?? null }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}
