import type { JsonSchema } from './value-schema.ts';

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** What a schema expects, in a few words. */
export function expected(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'expects any JSON value';
  const { type, enum: values, anyOf, oneOf } = schema as JsonSchema;
  if ('const' in schema) return quoteList([schema.const]);
  if (Array.isArray(values)) return quoteList(values);
  if (type !== undefined)
    return `expects ${[type]
      .flat()
      .map((one) => TYPES[String(one)] ?? String(one))
      .join(' or ')}`;
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return [...new Set(forms.map(expected))].join(', or ');
  return 'expects any JSON value';
}

const MAX_LISTED = 50;

/** Returns a text such as `expects one of "a", "b"`. */
export function quoteList(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => JSON.stringify(value));
  return `expects ${values.length > 1 ? 'one of ' : ''}${shown.join(', ')}${values.length > MAX_LISTED ? ' …' : ''}`;
}

/** The end of a message about an unknown key. */
export function possibleKeys(keys: readonly string[]): string {
  return keys.length > 0 ? `; the keys are ${keys.join(', ')}` : '; no key is possible here';
}

/** Returns a text such as `is too long: at most 3 items`. */
export function outOfBounds(size: 'large' | 'small' | 'long' | 'short', words: string, limit: unknown, unit = ''): string {
  return `is too ${size}: ${words} ${limit}${unit && ` ${unit}${limit === 1 ? '' : 's'}`}`;
}
