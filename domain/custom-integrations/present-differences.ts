import { CUT, cutText } from '../cut-text.ts';
import type { ChangedField } from './custom-integration.ts';
import type { Difference, Place } from './diff-values.ts';

/** The differences within one part of a larger value. */
export interface DifferencesAt {
  /** The place of the part within the larger value. */
  at: Place;
  differences: readonly Difference[];
}

/** The part of a change that lists show. */
export interface ChangeSummary {
  /** The first changed fields; long values are cut. */
  fields: readonly ChangedField[];
  fieldCount: number;
  /** Whether `fields` has all changed fields, with complete values. */
  isComplete: boolean;
}

/** Limits of a summary: number of fields, characters of one value, and characters of JSON. */
const SUMMARY = { fields: 100, value: 2000, all: 10_000 } as const;

/** Returns the first differences, shortened, and the number of all differences. */
export function summarizeDifferences(parts: readonly DifferencesAt[]): ChangeSummary {
  const fieldCount = countDifferences(parts);
  const fields: ChangedField[] = [];
  let left: number = SUMMARY.all;
  for (const [difference, at] of each(parts)) {
    if (fields.length === SUMMARY.fields || left <= 0) break;
    const field = cutField(toField(difference, at));
    left -= JSON.stringify(field).length;
    fields.push(field);
  }
  return { fields, fieldCount, isComplete: fields.length === fieldCount && !fields.some(({ cut }) => cut) };
}

/** Maximum length of a page in characters of JSON. The last field of a page may exceed it. */
const PAGE_MAX_LENGTH = 1_000_000;

/**
 * Returns a JSON list of differences from `offset` on: at most `limit`, and about a million
 * characters.
 */
export function differencesAsJson(parts: readonly DifferencesAt[], { offset, limit }: { offset: number; limit: number }): string {
  const written: string[] = [];
  let left = PAGE_MAX_LENGTH;
  let skipped = 0;
  for (const [difference, at] of each(parts)) {
    if (skipped < offset) {
      skipped += 1;
      continue;
    }
    if (written.length === limit || left <= 0) break;
    const text = JSON.stringify(toField(difference, at));
    left -= text.length;
    written.push(text);
  }
  return `[${written.join(',')}]`;
}

/** The number of all differences. */
export function countDifferences(parts: readonly DifferencesAt[]): number {
  return parts.reduce((sum, { differences }) => sum + differences.length, 0);
}

function* each(parts: readonly DifferencesAt[]): Generator<[Difference, Place]> {
  for (const { at, differences } of parts) for (const difference of differences) yield [difference, at];
}

function toField({ place, before, after }: Difference, at: Place): ChangedField {
  const path = pathOf([...keysOf(at), ...keysOf(place)]);
  const field = { path, before: before ?? null, after: after ?? null };
  // A null value looks the same as no value, so `absent` names the side without a value.
  return field.before === null && field.after === null ? { ...field, absent: before === undefined ? 'before' : 'after' } : field;
}

function keysOf(place: Place): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = place; at; at = at.parent) keys.push(at.key);
  return keys.reverse();
}

const PLAIN = /^[\w$@:/-]+$/;

/**
 * Keys with unusual characters are in brackets: `properties["\u0430mount"]`. Otherwise a look-alike
 * letter could make a path look like another path.
 */
function pathOf(keys: readonly (string | number)[]): string {
  const parts = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return PLAIN.test(key) ? `.${key}` : `[${JSON.stringify(key).replace(/[^\x20-\x7e]/g, escaped)}]`;
  });
  return parts.join('').replace(/^\./, '');
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function cutField(field: ChangedField): ChangedField {
  const [before, after] = shown(field.before, field.after);
  const path = field.path.length > SUMMARY.value ? cutText(field.path, SUMMARY.value) + CUT : field.path;
  const isCut = before !== field.before || after !== field.after || path !== field.path;
  return isCut ? { ...field, path, before, after, cut: true } : field;
}

/** If two texts are long, their excerpts start this many characters before the first difference. */
const CONTEXT = 100;

function shown(before: unknown, after: unknown): [unknown, unknown] {
  const [a, b] = [textOf(before), textOf(after)];
  if (a.length <= SUMMARY.value && b.length <= SUMMARY.value) return [before, after];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const start = a.length > SUMMARY.value && b.length > SUMMARY.value ? Math.max(0, same - CONTEXT) : 0;
  const cut = (value: unknown, text: string) => (text.length <= SUMMARY.value ? value : excerpt(text, start));
  return [cut(before, a), cut(after, b)];
}

function excerpt(text: string, start: number): string {
  const piece = cutText(text.slice(start), SUMMARY.value).replace(/^[\udc00-\udfff]/, '');
  return `${start > 0 ? CUT : ''}${piece}${start + SUMMARY.value < text.length ? CUT : ''}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
