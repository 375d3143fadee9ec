import { apply, getPrototypeOf, isArray, jsonStringify, ownKeys, RealError, RealPromise, slice, toText } from './primordials.ts';

const DEPTH_MAX = 6;
const ITEMS_MAX = 100;
const TEXT_MAX_LENGTH = 16_384;

/** Without this limit, values that contain the same part many times would take forever. */
let lengthLeft = 0;

/** Formats one console line, cut at TEXT_MAX_LENGTH. Never throws. */
export function inspectLine(values: readonly unknown[]): string {
  let line = '';
  // A getter of a shown value may log, too.
  const lengthLeftOutside = lengthLeft;
  lengthLeft = TEXT_MAX_LENGTH;
  for (let index = 0; index < values.length && line.length <= TEXT_MAX_LENGTH; index++) {
    line += (index === 0 ? '' : ' ') + inspect(values[index]);
  }
  lengthLeft = lengthLeftOutside;
  return line.length > TEXT_MAX_LENGTH ? `${slice(line, 0, TEXT_MAX_LENGTH)}…` : line;
}

function inspect(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return show(value, 0, []);
  } catch {
    return '[unreadable value]';
  }
}

function show(value: unknown, depth: number, parents: object[]): string {
  if (lengthLeft <= 0) return '…';
  if (typeof value === 'string') return spent(jsonStringify(slice(value, 0, TEXT_MAX_LENGTH)));
  if (typeof value === 'bigint') return spent(`${value}n`);
  if (typeof value === 'function') return spent(`[Function ${toText(value.name) || 'anonymous'}]`);
  if (typeof value !== 'object' || value === null) return spent(toText(value));
  if (value instanceof RealError) return spent(showError(value, depth, parents));
  if (value instanceof RealPromise) return spent('[Promise: put await before it]');
  if (value instanceof Date || value instanceof RegExp) return spent(toText(value instanceof Date ? apply(isoDate, value, []) : value));
  if (parents.includes(value)) return '[Circular]';
  if (depth >= DEPTH_MAX) return isArray(value) ? '[Array]' : '[Object]';
  const inner = [...parents, value];
  if (isArray(value)) return list(value, '[', ']', (item) => show(item, depth + 1, inner));
  if (value instanceof Map)
    return list([...value], 'Map {', '}', ([key, item]) => `${show(key, depth + 1, inner)} => ${show(item, depth + 1, inner)}`);
  if (value instanceof Set) return list([...value], 'Set {', '}', (item) => show(item, depth + 1, inner));
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return list([...(value as Uint8Array).subarray(0, ITEMS_MAX + 1)], `${nameOf(value)} [`, ']', toText);
  const members = value as Record<string, unknown>;
  return list(ownKeys(members), `${nameOf(value)}{`, '}', (key) => `${spent(jsonStringify(key))}:${show(members[key], depth + 1, inner)}`);
}

function showError(error: Error & { code?: unknown }, depth: number, parents: object[]): string {
  const text = `${error.name}: ${error.message}`;
  return error.code === undefined ? text : `${text} (code ${depth < DEPTH_MAX ? show(error.code, depth + 1, parents) : '…'})`;
}

function list<T>(items: readonly T[], open: string, close: string, showItem: (item: T) => string): string {
  lengthLeft -= open.length + close.length;
  let shown = '';
  let count = 0;
  for (; count < items.length && count < ITEMS_MAX && lengthLeft > 0; count++) shown += (count === 0 ? '' : ',') + showItem(items[count]!);
  const others = items.length - count;
  return `${open}${shown}${others > 0 ? `${count === 0 ? '' : ','}… ${others} more` : ''}${close}`;
}

function spent(text: string): string {
  lengthLeft -= text.length;
  return text;
}

function nameOf(value: object): string {
  const name = (getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor?.name;
  return typeof name === 'string' && name !== 'Object' && name !== '' ? `${name} ` : '';
}

const isoDate = function iso(this: Date): string {
  return Number.isNaN(this.getTime()) ? 'Invalid Date' : this.toISOString();
};
