import { ALIAS, DESCRIPTION_MAX_LENGTH, EMAIL_MAX_LENGTH, KEPT_JSON_MAX_BYTES, NAME_MAX_LENGTH } from '../../domain/limits.ts';
import type { World } from './tenants/a-world.ts';

/**
 * The accepted sizes of a value, and a function that makes a value of a size. Without `min` there
 * is no lower bound.
 */
export interface Bound {
  min?: number;
  max: number;
  make(size: number): unknown;
  /** Overrides the group's result. */
  within?: string;
  beyond?: string;
}

/**
 * A request and the bounds of its values. Keys are dotted paths into the body, or the query names
 * of a GET.
 */
export interface Limits {
  request: string;
  path(world: World): string;
  /** The rest of the body. `unique` is a different number for each request. */
  body?(world: World, unique: number): object;
  /**
   * The answer to a value within its bounds. If success is out of reach, an error that comes after
   * the body check.
   */
  within: string;
  /** Default: 400 VALIDATION_ERROR. */
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
/** A value of this many bytes as JSON. */
export const keptJson: Bound = { max: KEPT_JSON_MAX_BYTES, make: (size) => ({ é: 'a'.repeat(size - '{"é":""}'.length - 1) }) };

/** A value nested this many levels deep. */
export function nested(levels: number): unknown {
  return levels === 0 ? 0 : [nested(levels - 1)];
}
