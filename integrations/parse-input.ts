import type { z } from 'zod';
import type { Issue } from '../domain/errors.ts';
import { BODY_MAX_DEPTH } from '../domain/limits.ts';
import type { Action } from './definition.ts';

export type ParsedInput = { ok: true; input: Record<string, unknown> } | { ok: false; issues: Issue[] };

/** The input of an action with its defaults filled in, or every problem at once, each naming the unknown key, the missing key or the allowed values in plain words. */
export function parseInput(action: Pick<Action, 'input'>, input: unknown = {}): ParsedInput {
  if (isDeeperThan(BODY_MAX_DEPTH, input))
    return { ok: false, issues: [{ path: '', message: `is nested deeper than ${BODY_MAX_DEPTH} levels` }] };
  if (!isWellFormed(input))
    return { ok: false, issues: [{ path: '', message: 'holds a text with half a surrogate pair, which is no character' }] };
  const parsed = action.input.safeParse(input);
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, issues: parsed.error.issues.flatMap((issue) => toIssues(issue, input, Object.keys(action.input.shape))) };
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

/** Such text has no UTF-8 form, so it can be neither hashed nor stored. */
function isWellFormed(value: unknown): boolean {
  for (
    let level = [value];
    level.length > 0;
    level = level.filter(isObject).flatMap((object) => [...Object.keys(object), ...Object.values(object)])
  ) {
    if (level.some((item) => typeof item === 'string' && !item.isWellFormed())) return false;
  }
  return true;
}

type ZodIssue = z.core.$ZodIssue;

function toIssues(issue: ZodIssue, input: unknown, topKeys: string[]): Issue[] {
  if (issue.code !== 'unrecognized_keys') {
    const path = issue.path.map(String).join('.');
    return [{ path, message: isMissing(issue, input) ? missing(issue) : explain(issue) }];
  }
  const allowed = issue.path.length > 0 ? '' : topKeys.length > 0 ? `; the keys are ${topKeys.join(', ')}` : '; this action takes no input';
  return issue.keys.map((key) => ({ path: [...issue.path, key].map(String).join('.'), message: `unknown key "${key}"${allowed}` }));
}

function isMissing(issue: ZodIssue, input: unknown): boolean {
  return issue.path.length > 0 && valueAt(input, issue.path) === undefined;
}

function missing(issue: ZodIssue): string {
  return `missing key "${String(issue.path.at(-1))}": ${explain(issue)}`;
}

function explain(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expects ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expects ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return `is too ${LARGE[issue.origin] ?? 'large'}: at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      return `is too ${SMALL[issue.origin] ?? 'small'}: at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_union':
      return [...new Set(formsOf(issue))].join(', or ');
    default:
      return issue.message;
  }
}

function formsOf(issue: ZodIssue): string[] {
  return issue.code === 'invalid_union' ? issue.errors.flatMap(([first]) => (first ? formsOf(first) : [])) : [explain(issue)];
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  nonoptional: 'any JSON value',
};
const LARGE: Record<string, string> = { string: 'long', array: 'long' };
const SMALL: Record<string, string> = { string: 'short', array: 'short' };
const UNITS: Record<string, string> = { string: ' characters', array: ' items' };

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), input);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
