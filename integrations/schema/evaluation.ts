import type { JsonSchema } from './value-schema.ts';

/** Keys and indexes from the whole value to a place in it. */
export type Path = readonly (string | number)[];

/** True accepts everything, false nothing. */
export type SubSchema = JsonSchema | boolean;

/** A problem of a value. */
export interface Problem {
  path: Path;
  message: string;
  keyword: string;
}

/** The result of evaluating one schema. */
export interface Outcome {
  /** The value with defaults. */
  value: unknown;
  problems: Problem[];
  /** The keys or indexes that the schema evaluated. Null if it names none: then none is dropped. */
  seen: ReadonlySet<string | number> | null;
}

/** Settings of a whole evaluation. */
export interface Evaluation {
  root: JsonSchema;
  /** `output` drops keys outside the schema, and nulls of optional keys that are not nullable. */
  mode: 'input' | 'output';
  /** Top-level keys that no message lists as allowed. */
  hiddenKeys: readonly string[];
  matches(pattern: string, text: string): boolean;
  /** Evaluates an item, a property or the whole value. Drops keys in the mode `output`. */
  evaluate(schema: SubSchema, value: unknown, path: Path): Outcome;
  /** Evaluates one of several schemas for the same value. Drops no keys of this value. */
  apply(schema: SubSchema, value: unknown, path: Path): Outcome;
}

/** The keys or indexes that either outcome evaluated. */
export function together(a: Outcome['seen'], b: Outcome['seen']): Outcome['seen'] {
  if (a === null || b === null) return a ?? b;
  return new Set([...a, ...b]);
}

/** Whether a value can be a schema. */
export function isSchema(value: unknown): value is SubSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** Whether two JSON values are equal, ignoring the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
