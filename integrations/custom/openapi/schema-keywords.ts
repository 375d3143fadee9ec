import canonicalize from 'canonicalize';
import type { JsonSchema } from '../../schema/value-schema.ts';
import { cutText } from './texts.ts';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const MAX_VALUES = 2000;
const MAX_DEFAULT_LENGTH = 100;

const NUMBERS = ['minimum', 'maximum', 'multipleOf'];
const SIZES = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'];
const TEXTS = ['format', 'pattern', 'contentEncoding', 'contentMediaType'];
const FLAGS = ['uniqueItems', 'deprecated'];

/** Returns the keywords of a schema that contain no other schema. Leaves out malformed keywords. */
export function keywordsOf(schema: Record<string, unknown>, { side, isOld }: { side: 'request' | 'answer'; isOld: boolean }): JsonSchema {
  const kept: JsonSchema = { ...typeOf(schema.type) };
  const keep = (names: readonly string[], isWellFormed: (value: unknown) => boolean) => {
    for (const name of names) if (isWellFormed(schema[name])) kept[name] = schema[name];
  };
  keep(NUMBERS, Number.isFinite);
  keep(SIZES, (value) => Number.isInteger(value) && (value as number) >= 0);
  keep(TEXTS, (value) => typeof value === 'string' && value.length <= 1000);
  keep(FLAGS, (value) => value === true);
  if (kept.multipleOf !== undefined && (kept.multipleOf as number) <= 0) delete kept.multipleOf;
  if (typeof schema.title === 'string') kept.title = cutText(schema.title, 200);
  if (Array.isArray(schema.enum) && schema.enum.length > 0 && schema.enum.length <= MAX_VALUES) kept.enum = schema.enum;
  if ('const' in schema && !isOld) kept.const = schema.const;
  const description = descriptionOf(schema, side);
  return { ...kept, ...exclusive(schema), ...(description && { description }) };
}

function typeOf(type: unknown): JsonSchema {
  const types = [type].flat().filter((name) => TYPES.has(name as string));
  if (types.length === 0) return {};
  return { type: Array.isArray(type) && types.length > 1 ? [...new Set(types)] : types[0] };
}

/** In older schemas, `exclusiveMinimum: true` makes `minimum` exclusive. */
function exclusive(schema: Record<string, unknown>): JsonSchema {
  const bounds: JsonSchema = {};
  for (const [keyword, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[keyword] === true ? schema[plain] : schema[keyword];
    if (Number.isFinite(value)) bounds[keyword] = value;
  }
  return bounds;
}

/**
 * Mentions the default, which the third party applies. If we filled it in, an update would change
 * fields that the caller did not name.
 */
function descriptionOf(schema: Record<string, unknown>, side: 'request' | 'answer'): string {
  const text = typeof schema.description === 'string' ? schema.description.trim() : '';
  const said = 'default' in schema && side === 'request' ? canonicalize(schema.default) : undefined;
  const note = said !== undefined && said.length <= MAX_DEFAULT_LENGTH ? `Default: ${said}.` : '';
  return cutText([text, note].filter(Boolean).join(' '), 2000);
}
