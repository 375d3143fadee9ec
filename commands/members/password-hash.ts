import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { GatewayError } from '../../domain/errors.ts';

/** OWASP's first choice for scrypt: 128 MB and about half a second of one core. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const MAX_AT_ONCE = 2;
/** Further requests are refused, because they would wait too long. */
const MAX_WAITING = 20;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const turn = pLimit(MAX_AT_ONCE);

/**
 * The hash of a new password, with its salt and cost. Throws UNAVAILABLE if too many requests wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * True if a password has this hash. Without a hash, takes the same time and returns false. Throws
 * UNAVAILABLE if too many requests wait.
 */
export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [, N, r, p, salt, key] = hash?.split('$') ?? [];
  if (salt === undefined || key === undefined) {
    await deriveKey(password, randomBytes(SALT_BYTES), COST);
    return false;
  }
  const derived = await deriveKey(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}

function deriveKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  if (turn.pendingCount >= MAX_WAITING)
    throw new GatewayError('UNAVAILABLE', 'Too many people are signing in right now. Try again in a moment.');
  const maxmem = 256 * cost.N * cost.r;
  return turn(() => derive(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem }));
}
