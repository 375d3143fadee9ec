import type { JsonSchema } from '../schema/value-schema.ts';

/** The schema of an object with only these keys. A key that ends in `?` is optional. */
export function record(fields: Record<string, unknown>, more: JsonSchema = {}): JsonSchema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
    ...more,
  };
}

/** A reference to a definition of the format. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
/** The schema of a text that is not empty. */
export const text = (maxLength: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength });
/** The schema of an object with any keys. */
export const mapOf = (values: unknown, more: JsonSchema = {}): JsonSchema => ({ type: 'object', additionalProperties: values, ...more });
/** The schema of a list. */
export const listOf = (items: unknown, maxItems = 500): JsonSchema => ({ type: 'array', items, maxItems });

/** The schema of an http or https address. */
export const url: JsonSchema = {
  type: 'string',
  pattern: '^https?://[^\\s]{1,2000}$',
  'x-expects': 'an address such as https://api.example.com/v1',
};
