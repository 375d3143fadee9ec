import type { JsonSchema } from '../schema/value-schema.ts';

/** An object with these keys alone; those that end in a question mark may be left out. */
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

/** A definition of the format, by name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
/** A text that is not empty. */
export const text = (maxLength: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength });
/** An object of any keys. */
export const mapOf = (values: unknown, more: JsonSchema = {}): JsonSchema => ({ type: 'object', additionalProperties: values, ...more });
/** A list. */
export const listOf = (items: unknown, maxItems = 500): JsonSchema => ({ type: 'array', items, maxItems });

/** An address. */
export const url: JsonSchema = {
  type: 'string',
  pattern: '^https?://[^\\s]{1,2000}$',
  'x-expects': 'an address such as https://api.example.com/v1',
};
