import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

type Test = (value: unknown, wanted: unknown) => boolean;

const OPERATORS: Record<string, Test> = {
  $gt: (value, wanted) => compares(value, wanted, (order) => order > 0),
  $gte: (value, wanted) => compares(value, wanted, (order) => order >= 0),
  $lt: (value, wanted) => compares(value, wanted, (order) => order < 0),
  $lte: (value, wanted) => compares(value, wanted, (order) => order <= 0),
  $ne: (value, wanted) => !isDeepStrictEqual(value, wanted),
  $in: (value, wanted) => (wanted as unknown[]).some((one) => isDeepStrictEqual(value, one)),
  $nin: (value, wanted) => !(wanted as unknown[]).some((one) => isDeepStrictEqual(value, one)),
};

/** Field (dotted for nested ones) to the value it must equal, or to an object of operators. */
export const conditions = z
  .record(z.string().min(1).max(500), z.unknown())
  .superRefine((fields, context) => {
    if (Object.keys(fields).length > 50) context.addIssue({ code: 'custom', message: 'holds too many conditions: at most 50' });
    for (const [field, wanted] of Object.entries(fields)) {
      for (const message of problemsOf(wanted)) context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .describe(
    'field (dotted for nested ones) to the value it equals, or to operators such as { "$gte": 10, "$lt": 20 }: $gt $gte $lt $lte $ne $in $nin',
  );

/** Whether an item meets every condition. Numbers compare with numbers and strings with strings; anything else is neither greater nor less. */
export function meets(item: unknown, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(([field, wanted]) => {
    const value = fieldOf(item, field);
    if (!isOperators(wanted)) return isDeepStrictEqual(value, wanted);
    return Object.entries(wanted).every(([operator, operand]) => OPERATORS[operator]!(value, operand));
  });
}

function problemsOf(wanted: unknown): string[] {
  if (!isOperators(wanted)) return [];
  return Object.entries(wanted).flatMap(([operator, operand]) => {
    if (!Object.hasOwn(OPERATORS, operator))
      return [`unknown operator "${operator}"; the operators are ${Object.keys(OPERATORS).join(', ')}`];
    const wantsList = operator === '$in' || operator === '$nin';
    return wantsList && !Array.isArray(operand) ? [`${operator} expects an array`] : [];
  });
}

function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  return isObject(wanted) && Object.keys(wanted).some((key) => key.startsWith('$'));
}

function fieldOf(item: unknown, field: string): unknown {
  if (!isObject(item)) return undefined;
  if (Object.hasOwn(item, field)) return item[field];
  return field.split('.').reduce<unknown>((value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined), item);
}

function compares(value: unknown, wanted: unknown, holds: (order: number) => boolean): boolean {
  if (typeof value === 'number' && typeof wanted === 'number') return holds(value - wanted);
  if (typeof value === 'string' && typeof wanted === 'string') return holds(value < wanted ? -1 : value > wanted ? 1 : 0);
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
