import type { Issue } from '../../domain/bound-error.ts';
import type { Parsed } from '../parse-or-explain.ts';
import { evaluate, TooComplexError } from './evaluate.ts';
import { type Evaluation, isObject, type Problem, type SubSchema } from './evaluation.ts';
import { matchesPattern } from './pattern.ts';
import { type JsonSchema, type ObjectSchema, unknownField, type ValueSchema } from './value-schema.ts';

const COMPOSITE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/**
 * An input schema from untrusted JSON Schema 2020-12. Unknown keys are refused unless the schema
 * says otherwise.
 */
export function inputSchema(schema: JsonSchema): ObjectSchema {
  const json: JsonSchema = { type: 'object', properties: {}, ...schema, ...refusesUnknown(schema) };
  const properties = isObject(json.properties) ? (json.properties as Record<string, SubSchema>) : {};
  return {
    json,
    ...(typeof json.$schema === 'string' && { dialect: json.$schema }),
    keys: Object.keys(properties),
    parse: (value, hiddenKeys) => read(json, json, 'input', value, hiddenKeys) as Parsed<Record<string, unknown>>,
    parseField(name, value) {
      if (!Object.hasOwn(properties, name)) return unknownField(name);
      const wrapped = value === undefined ? {} : { value };
      const required = Array.isArray(json.required) && json.required.includes(name) ? ['value'] : [];
      const field = read({ properties: { value: properties[name] }, required }, json, 'input', wrapped);
      return field.ok ? { ok: true, value: (field.value as { value?: unknown }).value } : field;
    },
  };
}

/** Like `inputSchema`, but `json` is the schema as written. */
export function verbatimInputSchema(schema: JsonSchema): ObjectSchema {
  return { ...inputSchema(schema), json: schema };
}

/**
 * JSON Schema 2020-12 as an output schema. With `drops`, parsing removes keys outside the schema,
 * and nulls of optional keys that are not nullable.
 */
export function outputSchema(json: JsonSchema, { drops = true } = {}): ValueSchema {
  return { json, parse: (value) => read(json, json, drops ? 'output' : 'input', value) };
}

/** The problems of a value. Throws TooComplexError, or RangeError if the stack overflows. */
export function problemsOf(schema: JsonSchema, value: unknown): Problem[] {
  return evaluate(schema, value, { root: schema, mode: 'input', matches }).problems;
}

function read(
  schema: JsonSchema,
  root: JsonSchema,
  mode: Evaluation['mode'],
  value: unknown,
  hiddenKeys: readonly string[] = [],
): Parsed<unknown> {
  try {
    const outcome = evaluate(schema, value, { root, mode, hiddenKeys, matches });
    if (outcome.problems.length === 0) return { ok: true, value: outcome.value };
    return { ok: false, issues: outcome.problems.map(({ path, message }): Issue => ({ path: path.join('.'), message })) };
  } catch (error) {
    if (!(error instanceof TooComplexError || error instanceof RangeError)) throw error;
    return { ok: false, issues: [{ path: '', message: 'is too complex to be checked against its schema' }] };
  }
}

/** An invalid pattern matches every text, because not every schema has been validated. */
function matches(pattern: string, text: string): boolean {
  try {
    return matchesPattern(pattern, text);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

function refusesUnknown(schema: JsonSchema): JsonSchema {
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return {};
  return COMPOSITE.some((keyword) => keyword in schema) ? { unevaluatedProperties: false } : { additionalProperties: false };
}
