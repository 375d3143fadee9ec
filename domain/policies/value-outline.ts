import { readCurrency, readNumber } from './judge-amounts.ts';
import type { WorkBudget } from './work-budget.ts';

/** The shape of an input, with the values that rules about amounts can tell apart. */
export type Outline = number | string | boolean | null | Outline[] | { [key: string]: Outline };

/** A text that is not an amount and not a currency code. */
export const TEXT = '~';
/** A text that was too long to be read. Rules about amounts treat it as unknown. */
export const LONG_TEXT = '?~';
/** A value that is not in the outline, for example a hidden or large value. */
export const UNKNOWN = '?';

const MAX_DEPTH = 12;
const MAX_ITEMS = 200;
/** In characters. Reading a longer text takes too much work. */
const MAX_TEXT = 40;
const PER_VALUE = 60;
const PER_TEXT = 1500;

/**
 * Returns the outline of a value. `shown` is the same value without its secrets. The outline
 * contains no part that differs in `shown`.
 */
export function outlineOf(value: unknown, shown: unknown, work: WorkBudget, depth = 0): Outline {
  if (!work.spend(PER_VALUE)) return UNKNOWN;
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return shown === value ? value : UNKNOWN;
  if (typeof value === 'string') return outlineOfText(value, shown, work);
  if (typeof value !== 'object' || typeof shown !== 'object' || shown === null || depth >= MAX_DEPTH) return UNKNOWN;
  const keys = Object.keys(value);
  const shownKeys = Object.keys(shown);
  if (keys.length > MAX_ITEMS || keys.length !== shownKeys.length || keys.some((key, at) => key !== shownKeys[at])) return UNKNOWN;
  const inside = (key: string) =>
    outlineOf((value as Record<string, unknown>)[key], (shown as Record<string, unknown>)[key], work, depth + 1);
  return Array.isArray(value) ? keys.map(inside) : Object.fromEntries(keys.map((key) => [key, inside(key)]));
}

function outlineOfText(text: string, shown: unknown, work: WorkBudget): Outline {
  if (text.length > MAX_TEXT) return LONG_TEXT;
  if (!work.spend(PER_TEXT)) return UNKNOWN;
  const amount = readNumber(text);
  const isCode = amount === undefined && CODE.test(readCurrency(text));
  if (amount === undefined && !isCode) return TEXT;
  if (shown !== text || !Number.isFinite(amount ?? 0)) return UNKNOWN;
  return amount ?? readCurrency(text);
}

const CODE = /^[a-z]{3}$/;

/** Shrinks an outline to at most `maxBytes` of JSON. Large values become unknown first. */
export function fitOutline(outline: Outline, maxBytes: number): Outline {
  if (bytesOf(outline) <= maxBytes) return outline;
  if (typeof outline !== 'object' || outline === null) return UNKNOWN;
  const children = Object.entries(outline).map(([key, child]) => ({ key, child, bytes: bytesOf(child) }));
  const isList = Array.isArray(outline);
  const least = children.reduce((sum, { key }) => sum + (isList ? 0 : bytesOf(key) + 1) + 1 + UNKNOWN_BYTES, 2);
  let left = maxBytes - least;
  if (left < 0) return UNKNOWN;
  const fitted = new Map<string, Outline>();
  for (const { key, child, bytes } of children.sort((a, b) => a.bytes - b.bytes)) {
    const kept = bytes <= left + UNKNOWN_BYTES ? child : fitOutline(child, left + UNKNOWN_BYTES);
    left -= bytesOf(kept) - UNKNOWN_BYTES;
    fitted.set(key, kept);
  }
  const inOrder = (key: string) => fitted.get(key)!;
  return isList ? outline.map((_, at) => inOrder(String(at))) : Object.fromEntries(Object.keys(outline).map((key) => [key, inOrder(key)]));
}

const UNKNOWN_BYTES = bytesOf(UNKNOWN);

function bytesOf(value: Outline): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Whether a dotted path can lead to a value that the outline does not contain. */
export function leadsToUnknown(outline: Outline, path: string): boolean {
  return leads(outline, path.split('.'));
}

function leads(outline: Outline | undefined, [part, ...rest]: string[]): boolean {
  if (outline === UNKNOWN || outline === LONG_TEXT) return true;
  if (part === undefined || typeof outline !== 'object' || outline === null) return false;
  if (part === '*') return Object.values(outline).some((child) => leads(child, rest));
  return Object.hasOwn(outline, part) && leads((outline as Record<string, Outline>)[part], rest);
}
