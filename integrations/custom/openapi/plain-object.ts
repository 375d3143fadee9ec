import { isObject } from '../../schema/evaluation.ts';
import type { Schemas } from './schemas.ts';

/** An object schema that restricts nothing but its properties. */
export interface PlainObject {
  properties: ReadonlyMap<string, unknown>;
  required: ReadonlySet<string>;
  /** Whether the schema explicitly allows other properties. */
  isOpen: boolean;
}

const MAX_PARTS = 200;
const MORE = [
  'oneOf',
  'anyOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'enum',
  'const',
];

/**
 * Merges an object schema with its `allOf`. Undefined for other schemas, and for too many parts.
 */
export function plainObjectOf(schemas: Schemas, schema: unknown): PlainObject | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let parts = 0;
  let isOpen = false;
  let isClosed = false;
  const merge = (given: unknown): boolean => {
    parts += 1;
    const resolved = schemas.resolve(given);
    if (parts > MAX_PARTS || !isPlain(resolved)) return false;
    isOpen ||= resolved.additionalProperties !== undefined && resolved.additionalProperties !== false;
    isClosed ||= resolved.additionalProperties === false;
    const own = isObject(resolved.properties) ? resolved.properties : {};
    for (const name of Object.keys(own))
      properties.set(name, properties.has(name) ? { allOf: [properties.get(name), own[name]] } : own[name]);
    if (Array.isArray(resolved.required)) for (const name of resolved.required) if (typeof name === 'string') required.add(name);
    return Array.isArray(resolved.allOf) ? resolved.allOf.every(merge) : true;
  };
  if (!merge(schema) || (properties.size === 0 && schemas.resolve(schema).additionalProperties !== false)) return undefined;
  return { properties, required, isOpen: isOpen && !isClosed };
}

function isPlain(schema: Record<string, unknown>): boolean {
  const { type, additionalProperties: more } = schema;
  const isObjectType = type === undefined || [type].flat().includes('object');
  return isObjectType && (typeof more !== 'object' || isAnything(more)) && !MORE.some((keyword) => keyword in schema);
}

function isAnything(schema: object | null): boolean {
  return schema !== null && Object.keys(schema).length === 0;
}
