import { REDACTED } from './redaction/redacted.ts';

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/**
 * Masks all texts and keys that the caller chose freely. Keeps numbers and booleans, and the texts
 * and keys that the schema names.
 */
export function maskInput(value: unknown, schema: object = {}): unknown {
  return mask(value, alternatives(schema as Schema));
}

const MAX_ITEMS = 20;

function mask(value: unknown, schemas: Schema[]): unknown {
  if (typeof value === 'string') return isChoice(value, schemas) ? value : describeText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return maskList(value, schemas);
  return Object.fromEntries(
    Object.entries(value).map(([key, item], index) => {
      const own = schemas.flatMap(({ properties }) => (properties && Object.hasOwn(properties, key) ? properties[key]! : []));
      if (own.length > 0) return [key, mask(item, own.flatMap(alternatives))];
      const others = schemas.flatMap(({ additionalProperties }) => (typeof additionalProperties === 'object' ? additionalProperties : []));
      return [`[field ${index + 1}]`, mask(item, others.flatMap(alternatives))];
    }),
  );
}

function maskList(items: unknown[], schemas: Schema[]): unknown[] {
  const inside = schemas.flatMap((schema) => (typeof schema.items === 'object' ? schema.items : [])).flatMap(alternatives);
  const shown = items.slice(0, MAX_ITEMS).map((item) => mask(item, inside));
  return items.length > MAX_ITEMS ? [...shown, `[${items.length - MAX_ITEMS} more items]`] : shown;
}

function alternatives(schema: Schema): Schema[] {
  return [schema, ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? []).flatMap(alternatives)];
}

function isChoice(value: string, schemas: Schema[]): boolean {
  return schemas.some((schema) => schema.const === value || schema.enum?.includes(value));
}

const KINDS = [
  ['URL', /^\s*[a-z][a-z0-9+.-]*:\/\//i],
  ['e-mail address', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['number', /^\s*-?\d+([.,]\d+)*\s*$/],
  ['date', /^\d{4}-\d\d-\d\d/],
  ['path', /^[\w./~-]*\/[\w./~-]*$/],
] as const;

function describeText(text: string): string {
  if (text === REDACTED) return text;
  const kind = text.length <= MAX_KIND_LENGTH ? KINDS.find(([, pattern]) => pattern.test(text))?.[0] : undefined;
  return `[${kind ?? 'text'}, ${text.length} character${text.length === 1 ? '' : 's'}]`;
}

/** Longer texts are not matched, so that the time stays bounded. */
const MAX_KIND_LENGTH = 2000;
