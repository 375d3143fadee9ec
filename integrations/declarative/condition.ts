import { isSame } from '../schema/evaluation.ts';
import { matchesPattern } from '../schema/pattern.ts';
import { valueAt } from './value-at.ts';

/**
 * A condition on the value at a path. If the path contains `*`, there must be at least one value,
 * and every value must meet the condition.
 * Without `*`, a missing value meets `exists: false`, `notIn` and `notMatches`.
 */
export interface Condition {
  path: string;
  equals?: unknown;
  notEquals?: unknown;
  /** Another path. Both paths must have the same text, ignoring case. */
  sameAs?: string;
  in?: readonly unknown[];
  notIn?: readonly unknown[];
  matches?: string;
  notMatches?: string;
  exists?: boolean;
}

/** Whether the value at the condition's path in `of` meets the condition. */
export function holds(condition: Condition, of: unknown): boolean {
  const found = valueAt(of, condition.path);
  const values = condition.path.includes('*') ? [found].flat(10).filter((value) => value !== undefined) : [found];
  return (
    values.length > 0 &&
    values.every(
      (value) => holdsOf(condition, value) && (condition.sameAs === undefined || isSameText(value, valueAt(of, condition.sameAs))),
    )
  );
}

function isSameText(one: unknown, other: unknown): boolean {
  return [one, other].every((value) => value !== undefined && value !== null) && String(one).toLowerCase() === String(other).toLowerCase();
}

function holdsOf(condition: Condition, value: unknown): boolean {
  const exists = value !== undefined && value !== null;
  if (condition.exists !== undefined && condition.exists !== exists) return false;
  if ('equals' in condition && !isSame(condition.equals, value)) return false;
  if ('notEquals' in condition && (value === undefined || isSame(condition.notEquals, value))) return false;
  if (condition.in && !condition.in.some((item) => isSame(item, value))) return false;
  if (condition.notIn?.some((item) => isSame(item, value))) return false;
  if (condition.matches !== undefined && !(typeof value === 'string' && matchesPattern(condition.matches, value))) return false;
  return condition.notMatches === undefined || !(typeof value === 'string' && matchesPattern(condition.notMatches, value));
}
