import { redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import { isNamedByField, isNamedByItemBefore } from './secret-by-name.ts';

/** The result of `maskSecrets`. */
export interface MaskedInput {
  masked: Record<string, unknown>;
  isRedacted: boolean;
  /**
   * Whether the input was too large or too deep. In `masked`, an unread value is redacted or empty.
   */
  isCut: boolean;
}

interface Walk {
  left: number;
  isRedacted: boolean;
  isCut: boolean;
}

/** In characters. Each value costs READ_PER_VALUE more. */
const MAX_READ = 16_000;
const READ_PER_VALUE = 20;
const MAX_DEPTH = 12;

/**
 * Returns a copy of an input without the secrets that are quick to find. To save time, most texts
 * are not searched, so the copy must not be shown to people.
 */
export function maskSecrets(input: Record<string, unknown>): MaskedInput {
  const walk: Walk = { left: MAX_READ, isRedacted: false, isCut: false };
  const masked = maskFields(walk, input, 0);
  return { masked, isRedacted: walk.isRedacted, isCut: walk.isCut };
}

function mask(walk: Walk, value: unknown, depth: number, isSecret: boolean, isListItem = false): unknown {
  walk.left -= READ_PER_VALUE + (typeof value === 'string' ? value.length : 0);
  if (walk.left < 0 || depth > MAX_DEPTH) return cut(walk);
  if (isSecret && value !== null && value !== '' && typeof value !== 'boolean') return redacted(walk);
  if (typeof value === 'string') return maskText(walk, value);
  if (typeof value === 'number') return maskText(walk, String(value)) === String(value) ? value : redacted(walk);
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) return maskFields(walk, value as Record<string, unknown>, depth);
  if (value.length * READ_PER_VALUE > walk.left) return cut(walk);
  return value.map((item, index) => mask(walk, item, depth + 1, isNamedByItemBefore(value, index, isListItem), true));
}

function maskFields(walk: Walk, fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields);
  if (entries.length * READ_PER_VALUE > walk.left) {
    walk.isCut = true;
    return {};
  }
  const isSecret = isNamedByField(entries);
  return Object.fromEntries(entries.map(([key, item]) => [maskKey(walk, key), mask(walk, item, depth + 1, isSecret(key))]));
}

function maskKey(walk: Walk, key: string): string {
  walk.left -= key.length;
  return PLAIN_KEY.test(key) || walk.left < 0 ? key : maskWhole(walk, key);
}

function maskText(walk: Walk, text: string): string {
  return SHORT_WORD.test(text) || (!MAY_NAME_HOST.test(text) && !NUMBER.test(text)) || isPlainUrl(text) || PLAIN_ADDRESS.test(text)
    ? text
    : maskWhole(walk, text);
}

function maskWhole(walk: Walk, text: string): string {
  const shown = redactText(text);
  walk.isRedacted ||= shown !== text;
  return shown;
}

function cut(walk: Walk): string {
  walk.isCut = true;
  return REDACTED;
}

function redacted(walk: Walk): string {
  walk.isRedacted = true;
  return REDACTED;
}

const PLAIN_KEY = /^[A-Za-z_-]{1,40}$/;
const SHORT_WORD = /^\w{1,10}$/;
const NUMBER = /^[\s+-]*\.?\d/;
/** A text without one of these marks names no host. */
const MAY_NAME_HOST = /[:@%]|[\\/]{2}|[^\0-\x7f]/;
const PLAIN_ADDRESS = /^[\w.+-]{1,64}@[\w.-]{1,255}$/;

function isPlainUrl(text: string): boolean {
  const scheme = /^https?:\/\//.exec(text)?.[0];
  return scheme !== undefined && text.length < 2000 && !/[^!-~]|[@\\]|\/\/|:(?!\d)/.test(text.slice(scheme.length));
}
