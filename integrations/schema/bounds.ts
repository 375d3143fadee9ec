import type { Evaluation, Problem } from './evaluation.ts';
import type { JsonSchema } from './value-schema.ts';
import { outOfBounds } from './wording.ts';

type Bare = Omit<Problem, 'path'>;

/** Checks the limits of a number, and the length and the pattern of a text. */
export function checkBounds(at: Evaluation, schema: JsonSchema, value: unknown): Bare[] {
  if (typeof value === 'number') return numberProblems(schema, value);
  return typeof value === 'string' ? textProblems(at, schema, value) : [];
}

function numberProblems(schema: JsonSchema, value: number): Bare[] {
  const { maximum, minimum, multipleOf } = schema;
  // Drafts before 6 use `exclusiveMaximum: true` beside the maximum.
  const below = schema.exclusiveMaximum === true ? maximum : schema.exclusiveMaximum;
  const above = schema.exclusiveMinimum === true ? minimum : schema.exclusiveMinimum;
  return [
    ...(isNumber(below) && value >= below ? [{ message: outOfBounds('large', 'less than', below), keyword: 'maximum' }] : []),
    ...(isNumber(above) && value <= above ? [{ message: outOfBounds('small', 'more than', above), keyword: 'minimum' }] : []),
    ...(isNumber(maximum) && value > maximum ? [{ message: outOfBounds('large', 'at most', maximum), keyword: 'maximum' }] : []),
    ...(isNumber(minimum) && value < minimum ? [{ message: outOfBounds('small', 'at least', minimum), keyword: 'minimum' }] : []),
    ...(isNumber(multipleOf) && multipleOf > 0 && !isMultiple(value, multipleOf)
      ? [{ message: `expects a multiple of ${multipleOf}`, keyword: 'multipleOf' }]
      : []),
  ];
}

/** Whether a number is a multiple, despite rounding: 0.3 / 0.1 is not exactly 3. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.max(1, Math.abs(times));
}

function textProblems(at: Evaluation, { maxLength, minLength, pattern, ...schema }: JsonSchema, text: string): Bare[] {
  if (isNumber(maxLength) && text.length > maxLength && lengthOf(text) > maxLength)
    return [{ message: outOfBounds('long', 'at most', maxLength, 'character'), keyword: 'maxLength' }];
  if (isNumber(minLength) && lengthOf(text) < minLength)
    return [{ message: outOfBounds('short', 'at least', minLength, 'character'), keyword: 'minLength' }];
  if (typeof pattern !== 'string' || at.matches(pattern, text)) return [];
  const said = typeof schema['x-expects'] === 'string' ? schema['x-expects'] : `a text of the pattern ${pattern.slice(0, 200)}`;
  return [{ message: `expects ${said}`, keyword: 'pattern' }];
}

/** A character outside of the BMP counts once. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Whether a schema's limit is a number. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
