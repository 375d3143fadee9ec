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
  /** Characters of the input, as JSON, that were left out; about as many, never none where something was. */
  leftOut?: number;
}

/** Characters that may still be looked at; several previews may share it. */
export interface PreviewBudget {
  left: number;
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

interface Walk {
  hiddenPaths: ReadonlySet<string>;
  hideValues: HideSecrets;
  paths: Set<string>;
  /** Characters that were left out. */
  leftOut: number;
  /** Small fields are shown before large ones, so that none of them is left out for what a large one holds. */
  isBySize: boolean;
  budget: PreviewBudget;
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
    walk.leftOut += lengthOf(value);
    return '[not shown: the input is too large]';
  }
  walk.budget.left -= READ_PER_VALUE;
  if (typeof value === 'string') return showText(walk, value, place);
  if (typeof value === 'number') return showRedacted(walk, String(value)).isRedacted ? hide(walk, place) : value;
  if (value === null || typeof value !== 'object') return value;
  if (place.depth >= MAX_DEPTH) {
    walk.leftOut += lengthOf(value);
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
  walk.leftOut += lengthOf(items.slice(MAX_ITEMS));
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
  const keys = shownKeys(walk, Object.keys(fields));
  const inTurn = walk.isBySize && place.depth <= SIZED_DEPTH ? bySize(keys, fields) : keys;
  for (const [key, shownKey, isRedacted] of inTurn) {
    const inside = within(place, key, shownKey);
    if (isRedacted) hide(walk, inside);
    const isSecret = isSecretName(key) || (namesSecret && VALUE_FIELD.test(key));
    values.set(key, [shownKey, show(walk, fields[key], inside, isSecret)]);
  }
  const shown = new Map(entries.flatMap(([key]) => (values.has(key) ? [values.get(key)!] : [])));
  if (entries.length > MAX_ITEMS) {
    for (const [key, item] of entries) if (!values.has(key)) walk.leftOut += key.length + lengthOf(item);
    shown.set(unused(shown, '[more]'), `${entries.length - MAX_ITEMS} more fields`);
  }
  return Object.fromEntries(shown);
}

/** Sizes are not looked at further inside: that would read the same again and again. */
const SIZED_DEPTH = 3;

function bySize<Key extends [key: string, ...rest: unknown[]]>(keys: Key[], fields: Record<string, unknown>): Key[] {
  const sized = keys.map((key) => ({ key, length: lengthOf(fields[key[0]]) }));
  return sized.sort((one, other) => one.length - other.length).map(({ key }) => key);
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
    const most = shownAtMost(walk);
    walk.leftOut += Math.max(0, json.length - most);
    return escapeHidden(cutText(json, json.length, most));
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
  if (!read.isHidden && read.leftOut === 0) return undefined;
  if (findAmbiguity(text) !== undefined) return read.isHidden ? showAsWritten(walk, text, place) : undefined;
  if (read.isHidden) hide(walk, place);
  walk.leftOut += read.leftOut;
  return JSON.stringify(read.shown);
}

function readJson(walk: Walk, value: unknown, place: Place): { shown: unknown; isHidden: boolean; leftOut: number } {
  const inner: Walk = { ...walk, hiddenPaths: new Set(), paths: new Set(), leftOut: 0 };
  const shown = show(inner, value, { ...ROOT, depth: place.depth }, false);
  return { shown, isHidden: inner.paths.size > 0, leftOut: inner.leftOut };
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
  const most = shownAtMost(walk);
  walk.budget.left -= read.length;
  const redacted = redactText(walk.hideValues(text, REDACTED_TEXT));
  const isRedacted = redacted !== read;
  walk.leftOut += Math.max(0, Math.max(text.length, redacted.length) - most);
  if (read.length === text.length) return { text: escapeHidden(cutText(redacted, redacted.length, most)), isRedacted };
  return { text: escapeHidden(cutText(redacted.slice(0, -UNSURE_END), text.length, most)), isRedacted };
}

/** Characters of one text: what is left of the budget, but never so few that nobody could tell what it is. */
function shownAtMost({ budget }: Walk): number {
  return Math.min(MAX_TEXT, Math.max(budget.left, LEAST_SHOWN));
}

const LEAST_SHOWN = 200;

/** Of a value as JSON; at least one, so that what is left out counts. */
function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length || 1;
}
