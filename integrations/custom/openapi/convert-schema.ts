import { isObject } from '../../schema/evaluation.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import { keywordsOf } from './schema-keywords.ts';

/** The direction in which a value of the schema is sent. */
export type Side = 'request' | 'answer';

/** The context of a conversion of schemas. */
export interface Conversion {
  side: Side;
  /** Whether the document is older than OpenAPI 3.1. */
  isOld: boolean;
  /** Returns the name in `$defs`. */
  nameOf(reference: string): string;
  resolve(schema: unknown): Record<string, unknown>;
}

/** Keys that could change the prototype of an object. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Converts a schema of OpenAPI or Swagger to JSON Schema 2020-12. Malformed keywords are left out,
 * because a mistake in a document must not make a call fail.
 */
export function convertSchema(schema: unknown, at: Conversion): JsonSchema | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return {};
  if (typeof schema.$ref === 'string') return withNull(convertReference(schema.$ref, schema, at), schema, at);
  const converted: JsonSchema = { ...keywordsOf(schema, at), ...applicators(schema, at) };
  return withNull(converted, schema, at);
}

/** Before OpenAPI 3.1, keywords beside a reference are ignored, except description and nullable. */
function convertReference(reference: string, schema: Record<string, unknown>, at: Conversion): JsonSchema {
  const beside = at.isOld ? { description: schema.description } : schema;
  return { $ref: `#/$defs/${at.nameOf(reference)}`, ...keywordsOf(beside, at), ...(at.isOld ? {} : applicators(schema, at)) };
}

/** OpenAPI 3.0 has `nullable: true`, Swagger 2 has `x-nullable: true`. */
function withNull(converted: JsonSchema, schema: Record<string, unknown>, { isOld }: Conversion): JsonSchema {
  if (!isOld || (schema.nullable !== true && schema['x-nullable'] !== true)) return converted;
  const { type, enum: values, ...rest } = converted;
  const withValue = Array.isArray(values) && { enum: values.includes(null) ? values : [...values, null] };
  if (type !== undefined) return { type: [...new Set([type, 'null'].flat())], ...withValue, ...rest };
  if (Array.isArray(values)) return { ...withValue, ...rest };
  return Object.keys(converted).length === 0 ? converted : { anyOf: [converted, { type: 'null' }] };
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLES = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const MAPS = ['patternProperties', 'dependentSchemas'];

function applicators(schema: Record<string, unknown>, at: Conversion): JsonSchema {
  const converted: JsonSchema = {};
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) converted[key] = list.map((item) => convertSchema(item, at));
  }
  for (const key of SINGLES) {
    if (isObject(schema[key]) || typeof schema[key] === 'boolean') converted[key] = convertSchema(schema[key], at);
  }
  for (const key of MAPS) {
    if (isObject(schema[key]))
      converted[key] = Object.fromEntries(Object.entries(schema[key]).map(([name, inner]) => [name, convertSchema(inner, at)]));
  }
  return { ...converted, ...itemsOf(schema.items, at), ...propertiesOf(schema, at) };
}

function itemsOf(items: unknown, at: Conversion): JsonSchema {
  if (Array.isArray(items)) return { prefixItems: items.map((item) => convertSchema(item, at)) };
  if (typeof items === 'boolean') return { items: items ? {} : { not: {} } };
  return isObject(items) ? { items: convertSchema(items, at) } : {};
}

function propertiesOf(schema: Record<string, unknown>, at: Conversion): JsonSchema {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const given = schema.properties as Record<string, unknown>;
  const kept = names.filter((name) => !RESERVED.has(name) && isOnSide(given[name], at));
  const keeps = new Set(kept);
  const dropped = new Set(names.filter((name) => !keeps.has(name)));
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === 'string' && !dropped.has(name) && !RESERVED.has(name))
    : [];
  return {
    ...(names.length > 0 && { properties: Object.fromEntries(kept.map((name) => [name, asObject(convertSchema(given[name], at))])) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** Replaces a boolean schema by an object, because forms and tools need one. */
function asObject(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema;
}

/**
 * Whether a property belongs to a side: requests have no read-only properties, and answers have no
 * write-only properties.
 */
export function isOnSide(schema: unknown, { side, resolve }: Pick<Conversion, 'side' | 'resolve'>): boolean {
  if (!isObject(schema)) return true;
  const keyword = side === 'request' ? 'readOnly' : 'writeOnly';
  return schema[keyword] !== true && !(typeof schema.$ref === 'string' && resolve(schema)[keyword] === true);
}
