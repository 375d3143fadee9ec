import { hiddenValues } from './hidden-values.ts';
import { type HideSecrets, hiderOf } from './hide-secrets.ts';
import { isSecretName } from './is-secret-name.ts';
import { REDACTED, redactText } from './redact-text.ts';
import { findAmbiguity } from './strict-json.ts';
import { cutText, escapeHidden, MAX_TEXT, visibleText } from './visible-text.ts';

export { escapeHidden, REDACTED, visibleText };

const MAX_ITEMS = 200;
const MAX_DEPTH = 12;
const MAX_PATHS = 1000;
const MAX_PATH_PART = 200;

/** Characters of a whole preview that are looked at, and what each value counts beside its own; whatever comes after is not shown. */
const MAX_READ = 50_000;
const READ_PER_VALUE = 20;

/** Text is redacted this far, a good deal beyond what is shown; the last part may hold half a secret and is never shown. */
const REDACTED_TEXT = 2 * MAX_TEXT;
const UNSURE_END = 500;

/** A longer text is not read as JSON. */
const MAX_JSON = 64 * 1024;

export interface Preview {
  preview: Record<string, unknown>;
  /** Dotted paths of what a reviewer does not see. */
  redactedPaths: string[];
  /** Something was left out for its length, number or depth. */
  isCut?: true;
}

/**
 * What a reviewer sees of an input: secrets hidden, hidden characters made visible, long values cut and saying so
 * (design: gates and runs, preview). Built from the very object that is hashed; can be stored whatever the input holds.
 * `hiddenPaths` are hidden whatever they hold, and what they hold is hidden wherever else it stands, as are `alsoHidden`.
 */
export function previewInput(
  input: Record<string, unknown>,
  hiddenPaths: readonly string[] = [],
  alsoHidden: readonly string[] = [],
): Preview {
  const hideValues = hiderOf([...hiddenValues(input, hiddenPaths), ...alsoHidden]);
  const walk: Walk = { hiddenPaths: new Set(hiddenPaths), hideValues, paths: new Set(), isCut: false, budget: { left: MAX_READ } };
  const preview = showFields(walk, input, ROOT);
  const cut = walk.isCut && { isCut: walk.isCut };
  const redactedPaths = [...walk.paths];
  if (redactedPaths.length <= MAX_PATHS) return { preview, redactedPaths, ...cut };
  return { preview, redactedPaths: [...redactedPaths.sort().slice(0, MAX_PATHS), `[${redactedPaths.length - MAX_PATHS} more]`], ...cut };
}

interface Walk {
  hiddenPaths: ReadonlySet<string>;
  hideValues: HideSecrets;
  paths: Set<string>;
  /** Something was left out for its length or depth. */
  isCut: boolean;
  /** Characters that may still be looked at. */
  budget: { left: number };
}

interface Place {
  /** As the input names it. */
  path: string;
  /** As a reviewer reads it. */
  shownPath: string;
  depth: number;
  isListItem: boolean;
}

const ROOT: Place = { path: '', shownPath: '', depth: 0, isListItem: false };

function show(walk: Walk, value: unknown, place: Place, isSecret: boolean): unknown {
  if (walk.hiddenPaths.has(place.path)) return hide(walk, place);
  // A yes or no under a secret's name tells nothing of the secret.
  if (isSecret && value !== null && value !== '' && typeof value !== 'boolean') return hide(walk, place);
  if (walk.budget.left <= 0) {
    walk.isCut = true;
    return '[not shown: the input is too large]';
  }
  walk.budget.left -= READ_PER_VALUE;
  if (typeof value === 'string') return showText(walk, value, place);
  if (typeof value === 'number') return showRedacted(walk, String(value)).isRedacted ? hide(walk, place) : value;
  if (value === null || typeof value !== 'object') return value;
  if (place.depth >= MAX_DEPTH) {
    walk.isCut = true;
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
    return show(walk, item, inside, isNamedBefore(items, index, place));
  });
  if (items.length <= MAX_ITEMS) return shown;
  walk.isCut = true;
  return [...shown, `[${items.length - MAX_ITEMS} more items]`];
}

/** Headers and parameters also come as lists of pairs of name and value, or flat; arguments of programs as `--name`, then the value. */
function isNamedBefore(items: unknown[], index: number, { isListItem }: Place): boolean {
  const name = items[index - 1];
  if (typeof name !== 'string' || !isSecretName(name)) return false;
  const isPair = isListItem && items.length === 2;
  const isFlat = items.length % 2 === 0 && index % 2 === 1 && HEADER_NAME.test(name);
  return isPair || isFlat || /^--?\w[\w-]*$/.test(name);
}

/** Names of headers for secrets, which no list of columns holds. */
const HEADER_NAME = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+)$/i;

function showFields(walk: Walk, fields: Record<string, unknown>, place: Place): Record<string, unknown> {
  const entries = Object.entries(fields);
  const namesSecret = entries.some(([key, item]) => NAMING_FIELD.test(key) && typeof item === 'string' && isSecretName(item));
  const values = new Map<string, [shownKey: string, shown: unknown]>();
  for (const [key, shownKey, isRedacted] of shownKeys(walk, Object.keys(fields))) {
    const inside = within(place, key, shownKey);
    if (isRedacted) hide(walk, inside);
    const isSecret = isSecretName(key) || (namesSecret && VALUE_FIELD.test(key));
    values.set(key, [shownKey, show(walk, fields[key], inside, isSecret)]);
  }
  const shown = new Map(entries.flatMap(([key]) => (values.has(key) ? [values.get(key)!] : [])));
  if (entries.length > MAX_ITEMS) {
    walk.isCut = true;
    shown.set(unused(shown, '[more]'), `${entries.length - MAX_ITEMS} more fields`);
  }
  return Object.fromEntries(shown);
}

const NAMING_FIELD = /^(?:name|key|k|id|header|field|param|parameter|property|attribute|variable|label|path|type)$/i;
const VALUE_FIELD = /^(?:values?|val|v|contents?|data)$/i;

/**
 * Keys as a reviewer reads them, by their own order: which ones are left out and which of two that look alike gets a number must not depend on
 * the order of the input, which is no part of what is hashed.
 */
function shownKeys(walk: Walk, keys: string[]): [key: string, shownKey: string, isRedacted: boolean][] {
  const taken = new Map<string, string>();
  return [...keys]
    .sort()
    .slice(0, MAX_ITEMS)
    .map((key) => {
      const { text, isRedacted } = showRedacted(walk, key);
      const shownKey = unused(taken, text);
      taken.set(shownKey, key);
      return [key, shownKey, isRedacted];
    });
}

/** Two keys may look alike once they are escaped, cut or hidden; neither may take the other's place. */
function unused(shown: ReadonlyMap<string, unknown>, key: string): string {
  let free = key;
  for (let count = 2; shown.has(free); count += 1) free = `${key} (${count})`;
  return free;
}

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
    walk.isCut ||= json.length > MAX_TEXT;
    return visibleText(json);
  }
  const { text: shown, isRedacted } = showRedacted(walk, text);
  if (isRedacted) hide(walk, place);
  return shown;
}

/** What stands for JSON of which more than a reviewer would see may be read by others. */
const AMBIGUOUS = '[redacted: JSON in which a key comes twice, or a number is not the one that is read, and which holds what looks secret]';

/** A text that is a JSON object or list, redacted inside; undefined where it is none, or can be shown as it stands. */
function showJson(walk: Walk, text: string, place: Place): string | undefined {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return undefined;
  const value = parse(text);
  if (value === undefined) return undefined;
  const read = readJson(walk, value, place);
  if (!read.isHidden && !read.isCut) return undefined;
  if (findAmbiguity(text) !== undefined) return read.isHidden ? showAsWritten(walk, text, place) : undefined;
  if (read.isHidden) hide(walk, place);
  walk.isCut ||= read.isCut;
  return JSON.stringify(read.shown);
}

function readJson(walk: Walk, value: unknown, place: Place): { shown: unknown; isHidden: boolean; isCut: boolean } {
  const inner: Walk = { ...walk, hiddenPaths: new Set(), paths: new Set(), isCut: false };
  const shown = show(inner, value, { ...ROOT, depth: place.depth }, false);
  return { shown, isHidden: inner.paths.size > 0, isCut: inner.isCut };
}

/** JSON that says more than what it is parsed to: redacted in place where nothing that has to be hidden is left then, else hidden whole. */
function showAsWritten(walk: Walk, text: string, place: Place): string {
  hide(walk, place);
  const { text: redacted } = showRedacted(walk, text);
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

function showRedacted(walk: Walk, text: string): { text: string; isRedacted: boolean } {
  const read = text.slice(0, REDACTED_TEXT);
  walk.budget.left -= read.length;
  const redacted = redactText(walk.hideValues(text, REDACTED_TEXT));
  const isRedacted = redacted !== read;
  walk.isCut ||= Math.max(text.length, redacted.length) > MAX_TEXT;
  if (read.length === text.length) return { text: visibleText(redacted), isRedacted };
  return { text: escapeHidden(cutText(redacted.slice(0, -UNSURE_END), text.length, MAX_TEXT)), isRedacted };
}
