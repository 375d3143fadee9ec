import { REDACTED } from '../../../domain/redaction/redacted.ts';
import { isRecord } from '../../../domain/unknown-values.ts';

/** A JSON value, prepared for a page. */
export type ShownValue =
  | { kind: 'hidden' }
  | { kind: 'nothing'; words: string }
  | { kind: 'literal'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'block'; text: string; label: string; size: string }
  | { kind: 'list'; items: ShownValue[] }
  | { kind: 'table'; label: string; heads: string[]; rows: ShownValue[][] }
  | { kind: 'fields'; fields: ShownField[] };

interface ShownField {
  name: string;
  hidden: boolean;
  value: ShownValue;
  isDefault?: boolean;
}

/** Browsers cannot scroll a larger page. */
const MAX_VALUES = 4000;
const MAX_DEPTH = 16;
const LONG_TEXT = 120;
const TABLE_COLUMNS = 6;

/** Prepares a value for a page. `omitted` counts the items and fields beyond MAX_VALUES. */
export function showValue(value: unknown, label: string): { shown: ShownValue; omitted: number } {
  let left = MAX_VALUES;
  let omitted = 0;

  const show = (item: unknown, name: string, depth: number): ShownValue => {
    if (item === null || item === undefined) return { kind: 'nothing', words: 'null' };
    if (typeof item === 'string') return showText(item, name);
    if (typeof item !== 'object') return { kind: 'literal', text: String(item) };
    if (depth >= MAX_DEPTH) return { kind: 'nothing', words: 'deeper values are not shown' };
    return Array.isArray(item) ? showList(item, name, depth) : showFields(item as Record<string, unknown>, depth);
  };

  const take = <Item>(items: Item[]): Item[] => {
    const taken = items.slice(0, left);
    left -= taken.length;
    omitted += items.length - taken.length;
    return taken;
  };

  const showList = (items: unknown[], name: string, depth: number): ShownValue => {
    if (items.length === 0) return { kind: 'nothing', words: 'empty list' };
    const heads = tableHeads(items);
    if (!heads) return { kind: 'list', items: take(items).map((item, index) => show(item, `${name} ${index + 1}`, depth + 1)) };
    const rows = take(items) as Record<string, unknown>[];
    return { kind: 'table', label: name, heads, rows: rows.map((row) => take(heads).map((head) => show(row[head], head, depth + 2))) };
  };

  const showFields = (fields: Record<string, unknown>, depth: number): ShownValue => {
    const entries = Object.entries(fields);
    if (entries.length === 0) return { kind: 'nothing', words: 'no fields' };
    return {
      kind: 'fields',
      fields: take(entries).map(([name, item]) => ({ name, hidden: name === REDACTED, value: show(item, name, depth + 1) })),
    };
  };

  return { shown: show(value, label, 0), omitted };
}

function showText(text: string, label: string): ShownValue {
  if (text === REDACTED) return { kind: 'hidden' };
  if (text === '') return { kind: 'nothing', words: 'empty text' };
  if (text.length <= LONG_TEXT && !text.includes('\n')) return { kind: 'text', text };
  const lines = text.split('\n').length;
  const size = `${text.length.toLocaleString('en')} characters${lines > 1 ? `, ${lines.toLocaleString('en')} lines` : ''}`;
  return { kind: 'block', text, label, size };
}

function tableHeads(items: unknown[]): string[] | undefined {
  if (items.length < 2 || !items.every(isRecord)) return undefined;
  const heads = Object.keys(items[0]!);
  const fits = heads.length > 0 && heads.length <= TABLE_COLUMNS && !heads.includes(REDACTED);
  return fits && items.every((item) => isRow(item, heads)) ? heads : undefined;
}

function isRow(item: object, heads: string[]): boolean {
  const entries = Object.entries(item);
  return entries.length === heads.length && entries.every(([name, value]) => heads.includes(name) && isShort(value));
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= LONG_TEXT && !value.includes('\n') : value === null || typeof value !== 'object';
}
