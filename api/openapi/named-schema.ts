import type { z } from 'zod';

const NAMED = new WeakMap<z.ZodType, z.ZodType>();

/**
 * The schema under a name, so that the document says it once and generated clients have a type to import. One that has a name keeps it,
 * and so does one that several operations share.
 */
export function namedSchema(schema: z.ZodType, name: string): z.ZodType {
  if (schema.meta()?.id !== undefined) return schema;
  const known = NAMED.get(schema) ?? schema.meta({ ...schema.meta(), id: name });
  NAMED.set(schema, known);
  return known;
}
