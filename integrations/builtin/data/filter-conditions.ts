import { z } from 'zod';

type Test = (value: unknown) => boolean;

/** The operand becomes a test once, not for every item. */
const OPERATORS: Record<string, (wanted: unknown) => Test> = {
  $gt: (wanted) => (value) => compares(value, wanted, (order) => order > 0),
  $gte: (wanted) => (value) => compares(value, wanted, (order) => order >= 0),
  $lt: (wanted) => (value) => compares(value, wanted, (order) => order < 0),
  $lte: (wanted) => (value) => compares(value, wanted, (order) => order <= 0),
  $ne: (wanted) => not(isOneOf([wanted])),
  $in: (wanted) => isOneOf(wanted as unknown[]),
  $nin: (wanted) => not(isOneOf(wanted as unknown[])),
};

/** For each field, the value that it must equal, or an object of operators. */
export const conditions = z
  .record(z.string().min(1).max(500), z.unknown())
  .superRefine((fields, context) => {
    if (Object.keys(fields).length > 50) context.addIssue({ code: 'custom', message: 'holds too many conditions: at most 50' });
    for (const [field, wanted] of Object.entries(fields)) {
      for (const message of [...fieldProblems(field), ...problemsOf(wanted)]) context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .describe(
    'field (dotted for nested ones) to the value it equals, or to operators such as { "$gte": 10, "$lt": 20 }: $gt $gte $lt $lte $ne $in $nin. All must hold; there is no $or. To compare with an object whose keys are operator names, write { "$in": [<object>] }',
  );

/** Returns whether an item meets every condition. Only two numbers or two strings are ordered. */
export function itemTest(fields: Readonly<Record<string, unknown>>): Test {
  const tests = Object.entries(fields).map(([field, wanted]): Test => {
    const read = fieldReader(field);
    const holds = testOf(wanted);
    return (item) => holds(read(item));
  });
  return (item) => tests.every((holds) => holds(item));
}

function testOf(wanted: unknown): Test {
  if (!isOperators(wanted)) return isOneOf([wanted]);
  const tests = Object.entries(wanted).map(([operator, operand]) => OPERATORS[operator]!(operand));
  return (value) => tests.every((holds) => holds(value));
}

/** Compares objects by canonical JSON. A missing value equals nothing. */
function isOneOf(wanted: readonly unknown[]): Test {
  const plain = new Set(wanted.filter((one) => !isObject(one)));
  const texts = new Set(wanted.filter(isObject).map(canonicalText));
  return (value) => (isObject(value) ? texts.size > 0 && texts.has(canonicalText(value)) : plain.has(value));
}

function canonicalText(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`).join()}}`;
}

function not(test: Test): Test {
  return (value) => !test(value);
}

/** A field that is named like an operator is nearly always a mistake. */
function fieldProblems(field: string): string[] {
  if (LOGIC.has(field))
    return [`"${field}" is no field. Every condition must hold. For one of several values use $in; otherwise filter in code`];
  return Object.hasOwn(OPERATORS, field) ? [`"${field}" is no field; write { <field>: { "${field}": … } }`] : [];
}

const LOGIC = new Set(['$and', '$or', '$nor', '$not']);

function problemsOf(wanted: unknown): string[] {
  if (isBareOperators(wanted)) return bareProblems(wanted);
  if (!isOperators(wanted)) return [];
  return Object.entries(wanted).flatMap(([operator, operand]) => {
    if (!Object.hasOwn(OPERATORS, operator))
      return [`unknown operator "${operator}"; the operators are ${OPERATOR_NAMES}. To test for equality, write the value itself`];
    const wantsList = operator === '$in' || operator === '$nin';
    return wantsList && !Array.isArray(operand) ? [`${operator} expects an array`] : [];
  });
}

/**
 * Whether an operand has operators without `$`, nearly always a mistake. `$in` can still compare
 * with such an object.
 */
function isBareOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (!isObject(wanted) || Array.isArray(wanted)) return false;
  const keys = Object.keys(wanted);
  return keys.length > 0 && keys.every((key) => BARE_OPERATORS.has(key));
}

function bareProblems(wanted: Record<string, unknown>): string[] {
  const names = Object.keys(wanted).map((key) => `"${key}"`);
  return [
    `${names.join(', ')} must begin with $. The operators are ${OPERATOR_NAMES}. To compare with this very object, write { "$in": [<object>] }`,
  ];
}

const OPERATOR_NAMES = Object.keys(OPERATORS).join(', ');
const BARE_OPERATORS = new Set([...Object.keys(OPERATORS).map((operator) => operator.slice(1)), 'eq']);

function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  return isObject(wanted) && Object.keys(wanted).some((key) => key.startsWith('$'));
}

function fieldReader(field: string): (item: unknown) => unknown {
  const parts = field.split('.');
  const own = (value: unknown, part: string) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined);
  return (item) => (isObject(item) && Object.hasOwn(item, field) ? item[field] : parts.reduce(own, item));
}

function compares(value: unknown, wanted: unknown, holds: (order: number) => boolean): boolean {
  if (typeof value === 'number' && typeof wanted === 'number') return holds(value - wanted);
  if (typeof value === 'string' && typeof wanted === 'string') return holds(value < wanted ? -1 : value > wanted ? 1 : 0);
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
