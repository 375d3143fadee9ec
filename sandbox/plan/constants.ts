import { type Constant, UNKNOWN, type Value } from './state.ts';

/** A value as a constant. Unknown if it is too large or a BigInt, which JSON cannot represent. */
export function constant(value: unknown, size = sizeOf(value)): Value {
  if (size > MAX_SIZE || typeof value === 'bigint') return UNKNOWN;
  return { kind: 'constant', value, size } satisfies Constant;
}

/** The value at a key of a constant. Unknown if it may be inherited. */
export function readKey(from: Constant, key: string | number): Value {
  const { value } = from;
  if (typeof key === 'number' && !Array.isArray(value)) return UNKNOWN;
  if (value === null || value === undefined) return UNKNOWN;
  if (Object.hasOwn(Object(value), key)) {
    const part = (value as Record<string, unknown>)[key];
    return constant(part, isPrimitive(part) ? sizeOf(part) : from.size);
  }
  return typeof value === 'object' && !Array.isArray(value) && !(key in Object.prototype) ? constant(undefined) : UNKNOWN;
}

export function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

/** The largest approximate size of a value: a character counts 1, any other part 8. */
export const MAX_SIZE = 256 * 1024;

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length + 2 : 8;
}
