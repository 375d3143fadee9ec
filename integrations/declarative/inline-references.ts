import { isObject } from '../schema/evaluation.ts';
import { resolveReference } from '../schema/resolve-reference.ts';
import type { JsonSchema } from '../schema/value-schema.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

const MAX_NODES = 20_000;
const OF_DEFINITION = /^#\/\$defs\/([^/]+)/;

/**
 * Replaces references to `$defs` by their definitions, except recursive ones and those that would
 * make the schema very large.
 */
export function inlineReferences(schema: JsonSchema, definitions: Definitions = {}): JsonSchema {
  const own = { ...definitions, ...(isObject(schema.$defs) ? (schema.$defs as Definitions) : {}) };
  const kept = new Set<string>();
  let nodes = 0;

  const expand = (value: unknown, open: readonly string[]): unknown => {
    nodes += 1;
    if (Array.isArray(value)) return value.map((item) => expand(item, open));
    if (!isObject(value)) return value;
    const { $ref, $defs: _, ...beside } = value;
    const rest = Object.fromEntries(Object.entries(beside).map(([key, inner]) => [key, expandKeyword(key, inner, open)]));
    if (typeof $ref !== 'string') return rest;
    const name = OF_DEFINITION.exec($ref)?.[1];
    const found = name === undefined ? undefined : resolveReference({ $defs: own }, $ref);
    if (name === undefined || !isObject(found)) return { $ref, ...rest };
    if (open.includes($ref) || nodes > MAX_NODES) {
      kept.add(name);
      return { $ref, ...rest };
    }
    return extended(expand(found, [...open, $ref]) as JsonSchema, rest);
  };

  const expandKeyword = (keyword: string, value: unknown, open: readonly string[]): unknown => {
    if (DATA.has(keyword)) return value;
    if (!SCHEMAS_BY_NAME.has(keyword) || !isObject(value)) return expand(withoutBooleans(keyword, value), open);
    const named = Object.entries(withoutBooleans(keyword, value) as object);
    return Object.fromEntries(named.map(([name, inner]) => [name, expand(inner, open)]));
  };

  const inlined = expand(schema, []) as JsonSchema;
  const $defs: Record<string, unknown> = {};
  for (const name of kept) $defs[name] = expand(own[name], [`#/$defs/${name}`]);
  return kept.size > 0 ? { ...inlined, $defs } : inlined;
}

/** Replaces boolean schemas by objects, because forms and tools need them. */
function withoutBooleans(keyword: string, value: unknown): unknown {
  if (keyword === 'items' && typeof value === 'boolean') return value ? {} : { not: {} };
  if (keyword !== 'properties' || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema]),
  );
}

/** Keywords whose values are data: a `$ref` inside them is an ordinary key. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

const SCHEMAS_BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas']);

function extended(base: JsonSchema, more: JsonSchema): JsonSchema {
  const properties =
    isObject(base.properties) || isObject(more.properties)
      ? { properties: { ...(base.properties ?? {}), ...(more.properties ?? {}) } }
      : {};
  const required =
    Array.isArray(base.required) && Array.isArray(more.required) ? { required: [...new Set([...base.required, ...more.required])] } : {};
  return { ...base, ...more, ...properties, ...required };
}
