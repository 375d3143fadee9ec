import { constant, isPrimitive } from './constants.ts';
import { UNKNOWN, type Value } from './state.ts';

/** Applies a unary operator to a known value. */
export function applyUnary(operator: string, operand: Value): Value {
  if (operand.kind !== 'constant' || !isPrimitive(operand.value)) return UNKNOWN;
  const apply = UNARY[operator];
  return apply ? constant(apply(operand.value)) : UNKNOWN;
}

/** Applies a binary operator to known values. */
export function applyBinary(operator: string, left: Value, right: Value): Value {
  if (left.kind !== 'constant' || right.kind !== 'constant') return UNKNOWN;
  if (!isPrimitive(left.value) || !isPrimitive(right.value)) return UNKNOWN;
  if (left.size + right.size > MAX_TEXT) return UNKNOWN;
  const apply = BINARY[operator];
  return apply ? constant(apply(left.value, right.value)) : UNKNOWN;
}

const MAX_TEXT = 256 * 1024;

type Operand = never;

const UNARY: Record<string, ((value: unknown) => unknown) | undefined> = {
  '-': (value) => -(value as Operand),
  '+': (value) => Number(value),
  '!': (value) => !value,
};

const BINARY: Record<string, ((left: unknown, right: unknown) => unknown) | undefined> = {
  '+': (left, right) => (left as Operand) + (right as Operand),
  '-': (left, right) => (left as Operand) - (right as Operand),
  '*': (left, right) => (left as Operand) * (right as Operand),
  '/': (left, right) => (left as Operand) / (right as Operand),
  '%': (left, right) => (left as Operand) % (right as Operand),
  '===': (left, right) => left === right,
  '!==': (left, right) => left !== right,
};
