import type { JsonSchema } from './catalog.ts';

/** Keywords whose value is a map of names to schemas. */
const MAPS = ['properties', 'patternProperties', '$defs'];
/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = ['items', 'prefixItems', 'additionalProperties', 'propertyNames', 'anyOf', 'oneOf', 'allOf', 'not'];

/**
 * A schema without `x-` keywords, which are internal notes. Properties whose names start with `x-`
 * are kept.
 */
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

/** A schema may also be true or false. */
function publicForm(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? publicSchema(value as JsonSchema) : value;
}
