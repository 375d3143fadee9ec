import { findAmbiguity } from '../strict-json.ts';
import { hiddenValues } from './hidden-values.ts';
import { hiderOf } from './hide-secrets.ts';
import { bySize, shownKeys, unused } from './preview-keys.ts';
import { maxShown, type PreviewBudget, type PreviewText, previewText, sizeOf } from './preview-text.ts';
import { REDACTED } from './redacted.ts';
import { isNamedByField, isNamedByItemBefore } from './secret-by-name.ts';
import { cutText, escapeHidden } from './visible-text.ts';

const MAX_ITEMS = 200;
const MAX_DEPTH = 12;
const MAX_PATHS = 1000;
const MAX_PATH_PART = 200;

/** In characters. */
const MAX_READ = 50_000;
/** What each value costs of the budget, in characters, in addition to its text. */
const READ_PER_VALUE = 20;

/** In characters. */
const MAX_JSON = 64 * 1024;

/** An input as reviewers see it. */
export interface Preview {
  preview: Record<string, unknown>;
  redactedPaths: string[];
  /** Set if something was left out because of its length, number or depth. */
  isCut?: true;
  /** Estimated number of characters of JSON that were left out, at least 1. */
  leftOut?: number;
}

/**
 * Returns the preview of an input for reviewers (decision record 23): without secrets, with escaped
 * invisible characters and cut values. Hides the values at `hiddenPaths`. Their texts and
 * `alsoHidden` are hidden in all other values too, except texts below 4 characters. Postgres can
 * store every preview as JSON.
 */
export function previewInput(
  input: Record<string, unknown>,
  hiddenPaths: readonly string[] = [],
  alsoHidden: readonly string[] = [],
  budget: PreviewBudget = { left: MAX_READ },
): Preview {
  const hideValues = hiderOf([...hiddenValues(input, hiddenPaths), ...alsoHidden]);
  const given = budget.left;
  const hidden = new Set(hiddenPaths);
  const start = (isBySize: boolean): Walk => ({ hiddenPaths: hidden, hideValues, paths: new Set(), leftOut: 0, isBySize, budget });
  let walk = start(false);
  let preview = showFields(walk, input, ROOT);
  if (walk.leftOut > 0 && budget.left <= 0) {
    budget.left = given;
    walk = start(true);
    preview = showFields(walk, input, ROOT);
  }
  const cut = walk.leftOut > 0 && ({ isCut: true, leftOut: walk.leftOut } as const);
  const redactedPaths = [...walk.paths];
  if (redactedPaths.length <= MAX_PATHS) return { preview, redactedPaths, ...cut };
  return { preview, redactedPaths: [...redactedPaths.sort().slice(0, MAX_PATHS), `[${redactedPaths.length - MAX_PATHS} more]`], ...cut };
}

interface Walk extends PreviewText {
  hiddenPaths: ReadonlySet<string>;
  paths: Set<string>;
  /** Whether small fields come first, so that a large field does not use up the budget. */
  isBySize: boolean;
}

interface Place {
  /** The path as the input names it. */
  path: string;
  /** The path as a reviewer reads it. */
  shownPath: string;
  depth: number;
  isListItem: boolean;
}

const ROOT: Place = { path: '', shownPath: '', depth: 0, isListItem: false };

function show(walk: Walk, value: unknown, place: Place, isSecret: boolean): unknown {
  if (walk.hiddenPaths.has(place.path)) return hide(walk, place);
  // A boolean under the name of a secret reveals nothing of the secret.
  if (isSecret && value !== null && value !== '' && typeof value !== 'boolean') return hide(walk, place);
  if (walk.budget.left <= 0) {
    walk.leftOut += sizeOf(value);
    return '[not shown: the input is too large]';
  }
  walk.budget.left -= READ_PER_VALUE;
  if (typeof value === 'string') return showText(walk, value, place);
  if (typeof value === 'number') return previewText(walk, String(value)).isRedacted ? hide(walk, place) : value;
  if (value === null || typeof value !== 'object') return value;
  if (place.depth >= MAX_DEPTH) {
    walk.leftOut += sizeOf(value);
    return '[deeper values are not shown]';
  }
  return Array.isArray(value) ? showList(walk, value, place) : showFields(walk, value as Record<string, unknown>, place);
}

function hide(walk: Walk, { shownPath }: Place): string {
  walk.paths.add(shownPath);
  return REDACTED;
}

function showList(walk: Walk, items: unknown[], place: Place): unknown[] {
  const shown = items.slice(0, MAX_ITEMS).map((item, index) => {
    const inside = { ...within(place, String(index)), isListItem: true };
    return show(walk, item, inside, isNamedByItemBefore(items, index, place.isListItem));
  });
  if (items.length <= MAX_ITEMS) return shown;
  walk.leftOut += sizeOf(items.slice(MAX_ITEMS));
  return [...shown, `[${items.length - MAX_ITEMS} more items]`];
}

function showFields(walk: Walk, fields: Record<string, unknown>, place: Place): Record<string, unknown> {
  const entries = Object.entries(fields);
  const isSecret = isNamedByField(entries);
  const values = new Map<string, [shownKey: string, shown: unknown]>();
  const keys = shownKeys(walk, Object.keys(fields), MAX_ITEMS);
  const ordered = walk.isBySize && place.depth <= SIZED_DEPTH ? bySize(keys, fields) : keys;
  for (const { key, shownKey, isRedacted } of ordered) {
    const inside = within(place, key, shownKey);
    if (isRedacted) hide(walk, inside);
    values.set(key, [shownKey, show(walk, fields[key], inside, isSecret(key))]);
  }
  const shown = new Map(entries.flatMap(([key]) => (values.has(key) ? [values.get(key)!] : [])));
  if (entries.length > MAX_ITEMS) {
    for (const [key, item] of entries) if (!values.has(key)) walk.leftOut += key.length + sizeOf(item);
    shown.set(unused(shown, '[more]'), `${entries.length - MAX_ITEMS} more fields`);
  }
  return Object.fromEntries(shown);
}

/**
 * Fields are sorted by size down to this depth. Sorting all levels would read values repeatedly.
 */
const SIZED_DEPTH = 3;

function within({ path, shownPath, depth }: Place, key: string, shownKey = key): Place {
  const part = shownKey.length > MAX_PATH_PART ? `${escapeHidden(shownKey.slice(0, MAX_PATH_PART))}…` : shownKey;
  return { path: join(path, key), shownPath: join(shownPath, part), depth: depth + 1, isListItem: false };
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function showText(walk: Walk, text: string, place: Place): string {
  const json = showJson(walk, text, place);
  if (json !== undefined) {
    const max = maxShown(walk);
    walk.leftOut += Math.max(0, json.length - max);
    return escapeHidden(cutText(json, json.length, max));
  }
  const { text: shown, isRedacted } = previewText(walk, text);
  if (isRedacted) hide(walk, place);
  return shown;
}

const AMBIGUOUS =
  '[redacted: JSON that seems to hold a secret, and that parsers may read differently: a key is repeated, a number loses digits, or a character is incomplete]';

/** Undefined if the text is shown as plain text. */
function showJson(walk: Walk, text: string, place: Place): string | undefined {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return undefined;
  const value = parse(text);
  if (value === undefined) return undefined;
  const read = readJson(walk, value, place);
  if (!read.isHidden && read.leftOut === 0) return undefined;
  if (findAmbiguity(text) !== undefined) return read.isHidden ? showAmbiguous(walk, text, place) : undefined;
  if (read.isHidden) hide(walk, place);
  walk.leftOut += read.leftOut;
  return JSON.stringify(read.shown);
}

function readJson(walk: Walk, value: unknown, place: Place): { shown: unknown; isHidden: boolean; leftOut: number } {
  const inner: Walk = { ...walk, hiddenPaths: new Set(), paths: new Set(), leftOut: 0 };
  const shown = show(inner, value, { ...ROOT, depth: place.depth }, false);
  return { shown, isHidden: inner.paths.size > 0, leftOut: inner.leftOut };
}

/** Hides the whole text if the redacted text may still contain a value that must be hidden. */
function showAmbiguous(walk: Walk, text: string, place: Place): string {
  hide(walk, place);
  const { text: redacted } = previewText(walk, text);
  const left = parse(redacted);
  return left !== undefined && JSON.stringify(readJson(walk, left, place).shown) === JSON.stringify(left) ? redacted : AMBIGUOUS;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
