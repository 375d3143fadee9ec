import { isSecretName } from './is-secret-name.ts';
import { holdsCredential, REDACTED, redactText } from './redact-text.ts';

export { REDACTED };

const MAX_TEXT = 4000;
const MAX_ITEMS = 200;
const MAX_DEPTH = 12;
const MAX_PATHS = 1000;
const MAX_PATH_PART = 200;

/** Text is redacted this far, a good deal beyond what is shown; the last part may hold half a secret and is never shown. */
const REDACTED_TEXT = 2 * MAX_TEXT;
const UNSURE_END = 500;

/** A longer text is not read as JSON. */
const MAX_JSON = 256 * 1024;

export interface Preview {
  preview: Record<string, unknown>;
  /** Dotted paths of what a reviewer does not see. */
  redactedPaths: string[];
}

/**
 * What a reviewer sees of an input: secrets hidden, hidden characters made visible, long values cut and saying so
 * (design: gates and runs, preview). Built from the very object that is hashed; can be stored whatever the input holds.
 * `hiddenPaths` are hidden whatever they hold.
 */
export function previewInput(input: Record<string, unknown>, hiddenPaths: readonly string[] = []): Preview {
  const walk: Walk = { hiddenPaths, paths: new Set(), isCut: false };
  const preview = showFields(walk, input, ROOT);
  const redactedPaths = [...walk.paths].slice(0, MAX_PATHS);
  if (walk.paths.size > MAX_PATHS) redactedPaths.push(`[${walk.paths.size - MAX_PATHS} more]`);
  return { preview, redactedPaths };
}

/** Text with control, bidirectional and zero-width characters written as escapes, and cut when long. */
export function visibleText(text: string): string {
  return escapeHidden(cutText(text, text.length, MAX_TEXT));
}

/** Text with every character that the eye can't see, or that moves others about, written as an escape; doing it twice changes nothing. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Controls but tab and line feed, formats (zero-width, bidirectional, tags), lone surrogates, line and paragraph separators, fillers, variation selectors. */
const HIDDEN_CHARACTERS =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;

interface Walk {
  hiddenPaths: readonly string[];
  paths: Set<string>;
  /** Something was left out for its length or depth. */
  isCut: boolean;
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
  if (walk.hiddenPaths.includes(place.path)) return hide(walk, place);
  // A yes or no under a secret's name tells nothing of the secret.
  if (isSecret && value !== null && value !== '' && typeof value !== 'boolean') return hide(walk, place);
  if (typeof value === 'string') return showText(walk, value, place);
  if (typeof value === 'number') return redactText(String(value)) === String(value) ? value : hide(walk, place);
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
  // Headers and parameters also come as lists of pairs of name and value.
  const isPair = place.isListItem && items.length === 2 && typeof items[0] === 'string' && isSecretName(items[0]);
  const shown = items.slice(0, MAX_ITEMS).map((item, index) => {
    const inside = { ...within(place, String(index)), isListItem: true };
    return show(walk, item, inside, isPair && index === 1);
  });
  if (items.length <= MAX_ITEMS) return shown;
  walk.isCut = true;
  return [...shown, `[${items.length - MAX_ITEMS} more items]`];
}

function showFields(walk: Walk, fields: Record<string, unknown>, place: Place): Record<string, unknown> {
  const entries = Object.entries(fields);
  const namesSecret = entries.some(([key, item]) => NAMING_FIELD.test(key) && typeof item === 'string' && isSecretName(item));
  const shown = new Map<string, unknown>();
  for (const [key, item] of entries.slice(0, MAX_ITEMS)) {
    const { text: shownKey, isRedacted } = showRedacted(key);
    const inside = within(place, key, shownKey);
    if (isRedacted) hide(walk, inside);
    shown.set(unused(shown, shownKey), show(walk, item, inside, isSecretName(key) || (namesSecret && /^value$/i.test(key))));
  }
  if (entries.length > MAX_ITEMS) {
    walk.isCut = true;
    shown.set(unused(shown, '[more]'), `${entries.length - MAX_ITEMS} more fields`);
  }
  return Object.fromEntries(shown);
}

const NAMING_FIELD = /^(?:name|key|header|field|param|parameter)$/i;

/** Two keys may look alike once they are escaped, cut or hidden; neither may take the other's place. */
function unused(shown: Map<string, unknown>, key: string): string {
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
  if (json !== undefined) return visibleText(json);
  const { text: shown, isRedacted } = showRedacted(text);
  if (isRedacted) hide(walk, place);
  return shown;
}

/** A text that is a JSON object or list, redacted inside; undefined where it is none, or can be shown as it stands. */
function showJson(walk: Walk, text: string, place: Place): string | undefined {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return undefined;
  const value = parse(text);
  if (value === undefined) return undefined;
  const inner: Walk = { hiddenPaths: [], paths: new Set(), isCut: false };
  const shown = show(inner, value, { ...ROOT, depth: place.depth }, false);
  if (inner.paths.size > 0) hide(walk, place);
  return inner.paths.size > 0 || inner.isCut ? JSON.stringify(shown) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function showRedacted(text: string): { text: string; isRedacted: boolean } {
  if (holdsCredential(text)) return { text: REDACTED, isRedacted: true };
  const read = text.slice(0, REDACTED_TEXT);
  const redacted = redactText(read);
  const isRedacted = redacted !== read;
  if (read.length === text.length) return { text: visibleText(redacted), isRedacted };
  return { text: escapeHidden(cutText(redacted.slice(0, -UNSURE_END), text.length, MAX_TEXT)), isRedacted };
}

function cutText(text: string, length: number, max: number): string {
  const shown = text.slice(0, max);
  return shown.length < length ? `${shown}… [${length - shown.length} more characters]` : shown;
}
