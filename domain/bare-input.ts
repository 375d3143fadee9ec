import { REDACTED } from './preview-input.ts';

/** The parts of a JSON Schema that say which names and which values are an action's own. */
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
 * A preview of an input in which no text of a caller is left: of each text its kind and length, of each key that the schema of the action does
 * not know its place. Choices that the schema lists stay, as do numbers, yes and no.
 */
export function bareInput(value: unknown, schema: object = {}): unknown {
  return bare(value, readings(schema as Schema));
}

const MAX_ITEMS = 20;

function bare(value: unknown, schemas: Schema[]): unknown {
  if (typeof value === 'string') return isChoice(value, schemas) ? value : describeText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return bareList(value, schemas);
  return Object.fromEntries(
    Object.entries(value).map(([key, item], index) => {
      const own = schemas.flatMap(({ properties }) => (properties && Object.hasOwn(properties, key) ? properties[key]! : []));
      if (own.length > 0) return [key, bare(item, own.flatMap(readings))];
      const others = schemas.flatMap(({ additionalProperties }) => (typeof additionalProperties === 'object' ? additionalProperties : []));
      return [`[field ${index + 1}]`, bare(item, others.flatMap(readings))];
    }),
  );
}

function bareList(items: unknown[], schemas: Schema[]): unknown[] {
  const inside = schemas.flatMap((schema) => (typeof schema.items === 'object' ? schema.items : [])).flatMap(readings);
  const shown = items.slice(0, MAX_ITEMS).map((item) => bare(item, inside));
  return items.length > MAX_ITEMS ? [...shown, `[${items.length - MAX_ITEMS} more items]`] : shown;
}

/** A schema and those that it is made of. */
function readings(schema: Schema): Schema[] {
  return [schema, ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? []).flatMap(readings)];
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

/** Longer ones are text, whatever they look like; patterns need not read them. */
const MAX_KIND_LENGTH = 2000;
