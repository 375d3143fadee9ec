import { z } from 'zod';
import { KNOWN_RECORDS, type KnownRecords } from './known-records.ts';
import { KNOWN } from './known-values.ts';

type JsonSchema = Record<string, unknown>;

const ALWAYS_SHOWN = ['input', 'values', 'enforcedKeys', 'email', 'actionNames', 'mode', 'authMode'];

/**
 * Returns an example value of a schema. For `input`, an object has its required fields and a few
 * others. Prefers values of `records`, then the schema's own example (`meta({ examples })`).
 */
export function exampleOf(schema: z.ZodType, io: 'input' | 'output', records: KnownRecords = KNOWN_RECORDS): unknown {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;

  const known = (name: string, fits: (value: unknown) => boolean): unknown => (fits(KNOWN[name]) ? KNOWN[name] : undefined);

  const make = (given: JsonSchema, name: string, depth: number): unknown => {
    const node = resolve(root, given);
    if (Array.isArray(node.examples)) return node.examples[0];
    if ('const' in node) return node.const;
    const choices = node.enum;
    if (Array.isArray(choices)) return known(name, (value) => choices.includes(value)) ?? node.default ?? choices[0];
    const forms = (node.anyOf ?? node.oneOf) as JsonSchema[] | undefined;
    if (
      KNOWN[name] === null &&
      [node, ...(forms ?? [])].some(({ type }) => type === 'null' || (Array.isArray(type) && type.includes('null')))
    )
      return null;
    const form = forms?.find(({ type }) => type !== 'null');
    if (form) return make(form, name, depth);
    if (Array.isArray(node.allOf)) return Object.assign({}, ...node.allOf.map((part) => make(part as JsonSchema, name, depth)));
    const type = Array.isArray(node.type) ? node.type.find((one) => one !== 'null') : node.type;
    switch (type) {
      case 'object':
        return makeObject(node, name, depth);
      case 'array':
        return known(name, Array.isArray) ?? [make((node.items ?? {}) as JsonSchema, name.replace(/s$/, ''), depth + 1)];
      case 'boolean':
        return node.default ?? known(name, (value) => typeof value === 'boolean') ?? true;
      case 'integer':
      case 'number':
        return node.default ?? known(name, (value) => typeof value === 'number') ?? (isBound(node.minimum) ? node.minimum : 1);
      case 'null':
        return null;
      default:
        return type === 'string' ? makeText(node, name) : (KNOWN[name] ?? 'any JSON value');
    }
  };

  const makeObject = (node: JsonSchema, name: string, depth: number): unknown => {
    const properties = Object.entries((node.properties ?? {}) as Record<string, JsonSchema>);
    if (properties.length === 0) return makeRecord(node, name, depth);
    const required = (node.required ?? []) as string[];
    const shown = io === 'output' ? properties : properties.filter(([key]) => required.includes(key) || ALWAYS_SHOWN.includes(key));
    const filled = shown.length > 0 ? shown : depth === 0 ? properties.slice(0, 1) : [];
    const record = records[(node.id as string | undefined) ?? (depth === 0 ? 'Answer' : '')] ?? {};
    const entries = filled.map(([key, value]) => [key, key in record ? record[key] : make(value, key, depth + 1)]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };

  const makeRecord = ({ additionalProperties }: JsonSchema, name: string, depth: number): unknown => {
    const values = additionalProperties as JsonSchema | undefined;
    const isTyped = values !== undefined && Object.keys(values).length > 0;
    return isTyped
      ? { [String(name === 'actions' ? KNOWN.actionName : KNOWN.propertyName)]: make(values, name, depth + 1) }
      : (known(name, isRecord) ?? {});
  };

  return make(root, '', 0);
}

/**
 * Whether a minimum is a real bound. zod adds the smallest safe integer to every integer schema.
 */
function isBound(minimum: unknown): minimum is number {
  return typeof minimum === 'number' && minimum !== Number.MIN_SAFE_INTEGER;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function resolve(root: JsonSchema, node: JsonSchema): JsonSchema {
  if (typeof node.$ref !== 'string') return node;
  const path = node.$ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  const target = path.reduce<JsonSchema>((found, key) => found[key] as JsonSchema, root);
  return { id: path.at(-1), ...target, ...node, $ref: undefined };
}

const FORMATS: Record<string, string> = {
  uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'date-time': '2026-01-15T09:30:00.000Z',
  email: 'ada@example.com',
  uri: 'https://app.example.com/done',
};

function makeText({ format, default: fallback, minLength }: JsonSchema, name: string): unknown {
  const known = KNOWN[name];
  const text = (format === 'date-time' && known) || FORMATS[format as string] || (fallback ?? (typeof known === 'string' ? known : 'text'));
  return typeof text === 'string' ? text.padEnd(Number(minLength ?? 0), 'x') : text;
}
