import type { Issue } from '../domain/errors.ts';
import { findPlace } from '../domain/find-place.ts';
import { BODY_MAX_DEPTH, NUMBER_TOO_LARGE } from '../domain/limits.ts';
import type { Action } from './definition.ts';
import { parseOrExplain } from './parse-or-explain.ts';

export type ParsedInput = { ok: true; input: Record<string, unknown> } | { ok: false; issues: Issue[] };

/**
 * The input of an action with its defaults filled in, or every problem at once in plain words. `hiddenKeys` are those that the caller is not
 * to know of: no problem names them as possible.
 */
export function parseInput(action: Pick<Action, 'input'>, input: unknown = {}, hiddenKeys: readonly string[] = []): ParsedInput {
  if (isDeeperThan(BODY_MAX_DEPTH, input))
    return { ok: false, issues: [{ path: '', message: `is nested deeper than ${BODY_MAX_DEPTH} levels` }] };
  const unwritable = findPlace(input, isUnwritable);
  if (unwritable) return { ok: false, issues: [{ path: unwritable.path, message: whyUnwritable(unwritable.value) }] };
  const parsed = parseOrExplain(action.input, input, hiddenKeys);
  return parsed.ok ? { ok: true, input: parsed.value } : parsed;
}

/** Level by level, because what comes from a sandbox may be deep enough to exhaust the stack. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((object) => Object.values(object).filter(isObject));
  }
  return false;
}

/** Half a surrogate pair has no UTF-8 form, and a number without end none in JSON: neither can be hashed or stored. */
function isUnwritable(value: unknown): boolean {
  return typeof value === 'string' ? !value.isWellFormed() : typeof value === 'number' && !Number.isFinite(value);
}

function whyUnwritable(value: unknown): string {
  return typeof value === 'string' ? 'holds a text with half a surrogate pair, which is no character' : NUMBER_TOO_LARGE;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
