import type { Issue } from '../domain/bound-error.ts';
import { isDeeperThan } from '../domain/is-deeper-than.ts';
import { BODY_MAX_DEPTH, NUMBER_TOO_LARGE } from '../domain/limits.ts';
import { findPlace } from '../domain/policies/find-place.ts';
import type { Action } from './definition.ts';

export type ParsedInput = { ok: true; input: Record<string, unknown> } | { ok: false; issues: Issue[] };

/**
 * Validates an action's input and fills in defaults, or returns the problems in plain words. The
 * problems do not name `hiddenKeys` among the allowed keys.
 */
export function parseInput(action: Pick<Action, 'input'>, input: unknown = {}, hiddenKeys: readonly string[] = []): ParsedInput {
  if (isDeeperThan(BODY_MAX_DEPTH, input))
    return { ok: false, issues: [{ path: '', message: `is nested deeper than ${BODY_MAX_DEPTH} levels` }] };
  const unwritable = findPlace(input, isUnwritable);
  if (unwritable) return { ok: false, issues: [{ path: unwritable.path, message: whyUnwritable(unwritable.value) }] };
  const parsed = action.input.parse(input, hiddenKeys);
  return parsed.ok ? { ok: true, input: parsed.value } : parsed;
}

/** Whether a value cannot be hashed and stored. */
function isUnwritable(value: unknown): boolean {
  return typeof value === 'string' ? !value.isWellFormed() : typeof value === 'number' && !Number.isFinite(value);
}

function whyUnwritable(value: unknown): string {
  return typeof value === 'string' ? 'holds a text with half a surrogate pair, which is no character' : NUMBER_TOO_LARGE;
}
