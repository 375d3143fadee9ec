import type { JsonSchema } from './catalog.ts';

const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const SCHEMAS = [
  ...['items', 'prefixItems', 'contains', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
];

/** A schema without `x-` keywords, which are internal notes. */
export function publicSchema(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-'));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, publicValue(keyword, value)]));
}

function publicValue(keyword: string, value: unknown): unknown {
  if (MAPS.includes(keyword))
    return Object.fromEntries(Object.entries(value as Record<string, JsonSchema>).map(([name, schema]) => [name, publicSchema(schema)]));
  if (!SCHEMAS.includes(keyword)) return value;
  return Array.isArray(value) ? value.map(publicForm) : publicForm(value);
}

function publicForm(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? publicSchema(value as JsonSchema) : value;
}
