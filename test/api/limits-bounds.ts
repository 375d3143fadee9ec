import { ALIAS, DESCRIPTION_MAX_LENGTH, EMAIL_MAX_LENGTH, KEPT_JSON_MAX_BYTES, NAME_MAX_LENGTH } from '../../domain/limits.ts';
import type { World } from './tenants/a-world.ts';

/** The accepted sizes of a value. Without `min` there is no lower bound. */
export interface Bound {
  min?: number;
  max: number;
  make(size: number): unknown;
  /** These replace `within` and `beyond` of the request, for this value only. */
  within?: string;
  beyond?: string;
}

/**
 * A request and the bounds of its values. The keys of `bounds` are dotted paths into the body, or
 * query names of a GET.
 */
export interface Limits {
  request: string;
  path(world: World): string;
  /** The other fields of the body. `unique` is a different number for each request. */
  body?(world: World, unique: number): object;
  /** The answer to a value within its bounds. It can be an error of a later check. */
  within: string;
  /** The answer to a value beyond its bounds. Default: 400 VALIDATION_ERROR. */
  beyond?: string;
  bounds: Record<string, Bound>;
}

export const number = ({ min, max }: { min: number; max: number }): Bound => ({ min, max, make: (size) => size });
export const text = (max = NAME_MAX_LENGTH, min = 1): Bound => ({ ...(min > 0 && { min }), max, make: (size) => 'a'.repeat(size) });
export const alias = (letter: string): Bound => ({ min: 1, max: ALIAS.maxLength, make: (size) => letter.repeat(size) });
export const many = (max: number, item: unknown, min = 0): Bound => ({
  ...(min > 0 && { min }),
  max,
  make: (size) => Array(size).fill(item),
});
export const offset: Bound = { ...number({ min: 0, max: Number.MAX_SAFE_INTEGER }), make: (size) => BigInt(size) };
export const email: Bound = { max: EMAIL_MAX_LENGTH, make: (size) => `@example.com`.padStart(size, 'a') };
export const https: Bound = { max: 2000, make: (size) => 'https://example.com/'.padEnd(size, 'a') };
export const description = text(DESCRIPTION_MAX_LENGTH, 0);
/** A value whose JSON has `size` bytes. */
export const keptJson: Bound = { max: KEPT_JSON_MAX_BYTES, make: (size) => ({ é: 'a'.repeat(size - '{"é":""}'.length - 1) }) };

/** A list nested to this depth. */
export function nested(levels: number): unknown {
  return levels === 0 ? 0 : [nested(levels - 1)];
}
