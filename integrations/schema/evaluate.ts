import { alternatives } from './alternatives.ts';
import { checkBounds } from './bounds.ts';
import { type Evaluation, isObject, isSame, type Outcome, type Path, type Problem, type SubSchema } from './evaluation.ts';
import { FORMATS } from './formats.ts';
import { readArray } from './read-array.ts';
import { readObject } from './read-object.ts';
import type { JsonSchema } from './value-schema.ts';
import { expected, quoteList } from './wording.ts';

/** A value or schema exceeds the work limit of one check. */
export class TooComplexError extends Error {}

const MAX_DEPTH = 300;

const MAX_STEPS = 200_000;

/**
 * Evaluates a value with a schema. Throws TooComplexError beyond MAX_DEPTH nested schemas or
 * MAX_STEPS schema evaluations.
 */
export function evaluate(
  schema: SubSchema,
  value: unknown,
  { root, mode, hiddenKeys = [], matches }: Pick<Evaluation, 'root' | 'mode' | 'matches'> & { hiddenKeys?: readonly string[] },
): Outcome {
  let steps = MAX_STEPS;
  let depth = 0;
  const at: Evaluation = {
    ...{ root, mode, hiddenKeys, matches },
    evaluate: (sub, inner, path) => withoutUnseen(mode, at.apply(sub, inner, path)),
    apply(sub, inner, path) {
      steps -= 1;
      if (steps < 0 || depth > MAX_DEPTH) throw new TooComplexError();
      if (typeof sub === 'boolean')
        return { value: inner, seen: null, problems: sub ? [] : [{ path, message: 'is not possible here', keyword: 'false' }] };
      depth += 1;
      const outcome = applySchema(at, sub, inner, path);
      depth -= 1;
      return outcome;
    },
  };
  return at.evaluate(schema, value, []);
}

function withoutUnseen(mode: Evaluation['mode'], outcome: Outcome): Outcome {
  const { seen, value } = outcome;
  if (mode !== 'output' || seen === null || !isObject(value)) return outcome;
  return { ...outcome, value: Object.fromEntries(Object.entries(value).filter(([key]) => seen.has(key))) };
}

function applySchema(at: Evaluation, schema: JsonSchema, value: unknown, path: Path): Outcome {
  const wrong = wrongKind(schema, value);
  if (wrong) return { value, seen: null, problems: [{ ...wrong, path }] };
  const bounds = checkBounds(at, schema, value).map((problem) => ({ ...problem, path }));
  const inPlace = alternatives(at, schema, value, path);
  const outcome = { ...inPlace, problems: [...bounds, ...inPlace.problems] };
  if (Array.isArray(value)) return readArray(at, schema, outcome, path);
  return isObject(value) ? readObject(at, schema, outcome, path) : outcome;
}

function wrongKind(schema: JsonSchema, value: unknown): Omit<Problem, 'path'> | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value)) && !(schema.nullable === true && value === null))
    return { message: expected(schema), keyword: 'type' };
  if ('const' in schema && !isSame(schema.const, value)) return { message: quoteList([schema.const]), keyword: 'const' };
  if (Array.isArray(schema.enum) && !schema.enum.some((item) => isSame(item, value)))
    return { message: quoteList(schema.enum), keyword: 'enum' };
  const format = typeof value === 'string' && typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format && !format.test(value as string)) return { message: `expects ${format.name}`, keyword: 'format' };
  return undefined;
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}
