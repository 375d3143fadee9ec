import { isJsonType } from '../media-type.ts';
import { isObject } from '../schema/evaluation.ts';
import type { OperationParameter } from './operation.ts';

type Written = Pick<OperationParameter, 'name' | 'style' | 'explode'> & Partial<Pick<OperationParameter, 'allowReserved' | 'contentType'>>;

type Pair = readonly [name: string, value: string];

/** Separators of values, percent-encoded. */
const SEPARATORS: Partial<Record<OperationParameter['style'], string>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  tabDelimited: '%09',
};

/** Serializes a value of a query, form or cookie, percent-encoded. */
export function toPairs(parameter: Written, value: unknown): Pair[] {
  if (value === undefined || value === null) return [];
  const { style, explode, contentType, allowReserved = false } = parameter;
  const encode = allowReserved ? encodeReserved : encodeText;
  const name = encodeText(parameter.name);
  if (contentType !== undefined) return [[name, encode(asContent(value, contentType))]];
  if (style === 'deepObject') return bracketed(name, value, encode);
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(asText(item)));
    if (explode) return items.map((item) => [name, item]);
    return items.length > 0 ? [[name, items.join(SEPARATORS[style] ?? ',')]] : [];
  }
  if (!isObject(value)) return [[name, encode(asText(value))]];
  const entries = entriesOf(value).map(([key, inner]): Pair => [encodeText(key), encode(inner)]);
  if (explode) return entries;
  return entries.length > 0 ? [[name, entries.flat().join(SEPARATORS[style] ?? ',')]] : [];
}

/** Serializes as `a[b]=1` and `a[0]=2`. */
export function toBracketPairs(name: string, value: unknown): Pair[] {
  return bracketed(encodeText(name), value, encodeText);
}

function bracketed(name: string, value: unknown, encode: (text: string) => string): Pair[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => bracketed(`${name}%5B${index}%5D`, item, encode));
  if (!isObject(value)) return [[name, encode(asText(value))]];
  return Object.entries(value).flatMap(([key, inner]) => bracketed(`${name}%5B${encodeText(key)}%5D`, inner, encode));
}

/** Serializes a value of the path. `encode` encodes one scalar. */
export function toPathText({ name, style, explode, contentType }: Written, value: unknown, encode: (text: string) => string): string {
  if (contentType !== undefined) return encode(asContent(value, contentType));
  if (style === 'label') return `.${listed(value, explode ? '.' : ',', explode, encode)}`;
  if (style !== 'matrix') return listed(value, ',', explode, encode);
  const own = encodeText(name);
  if (explode && Array.isArray(value)) return value.map((item) => `;${own}=${encode(asText(item))}`).join('');
  if (explode && isObject(value)) return `;${listed(value, ';', true, encode)}`;
  return `;${own}=${listed(value, ',', explode, encode)}`;
}

/** Serializes a value of a header. */
export function toHeaderText({ explode, contentType }: Written, value: unknown): string {
  return contentType !== undefined ? asContent(value, contentType) : listed(value, ',', explode, (text) => text);
}

function listed(value: unknown, separator: string, explode: boolean, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((item) => encode(asText(item))).join(separator);
  if (!isObject(value)) return encode(asText(value));
  return entriesOf(value)
    .map(([key, inner]) => `${encode(key)}${explode ? '=' : ','}${encode(inner)}`)
    .join(separator);
}

function entriesOf(value: Record<string, unknown>): Pair[] {
  return Object.entries(value).flatMap(([key, inner]): Pair[] => (inner === undefined || inner === null ? [] : [[key, asText(inner)]]));
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function asContent(value: unknown, contentType: string): string {
  return typeof value === 'string' && !isJsonType(contentType) ? value : JSON.stringify(value);
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Keeps reserved characters, except those that would end or change the value: `&`, `#`, `+`. */
function encodeReserved(text: string): string {
  return encodeText(text).replace(/%(3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, (code) => decodeURIComponent(code));
}
