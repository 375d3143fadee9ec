import type { PolicyFields } from './policy.ts';

/**
 * A field that differs between two versions of a policy, such as `priority` or
 * `rules.domainDenylist`.
 */
export interface PolicyDifference {
  field: string;
  /** Null if the field or the rule was absent. */
  before: unknown;
  after: unknown;
}

/** Returns the fields in which two versions of a policy differ. Each rule counts as a field. */
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
