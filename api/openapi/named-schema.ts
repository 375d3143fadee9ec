import type { z } from 'zod';

const NAMED = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Names a schema, so that generated clients can import its type. A schema that several operations
 * share keeps its first name.
 */
export function namedSchema(schema: z.ZodType, name: string): z.ZodType {
  if (schema.meta()?.id !== undefined) return schema;
  const known = NAMED.get(schema) ?? schema.meta({ ...schema.meta(), id: name });
  NAMED.set(schema, known);
  return known;
}
