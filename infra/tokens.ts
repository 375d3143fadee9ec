import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** One prefix per kind of key or token. Secret scanners find leaks by the prefix. */
export const TOKEN_PREFIXES = [
  'svc_',
  'mcp_',
  'mcpo_',
  'mcpr_',
  'eut_',
  'cst_',
  'sin_',
  'sis_',
  'mss_',
  'stp_',
  'sil_',
  'apr_link_v1_',
] as const;
export type TokenPrefix = (typeof TOKEN_PREFIXES)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const DISPLAY_LENGTH = 8;

/** Maximum number of derived tokens in memory. */
const DERIVED_MOST = 2000;

/** Issues tokens, and derives and hashes tokens with the pepper of the service. */
export interface Tokens {
  /** Prefix, 256 random bits in base62, CRC32. */
  issue(prefix: TokenPrefix): string;
  /** The same prefix and subject always give the same token, so the token need not be stored. */
  derive(prefix: TokenPrefix, subject: string): string;
  /** Returns the stored form: HMAC-SHA-256 with the pepper. */
  hash(token: string): Buffer;
  /** Returns 32 bytes, derived from the pepper and the purpose. */
  key(purpose: string): Buffer;
}

export function openTokens(pepper: string): Tokens {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', pepper, 'integration-gateway', purpose, 32));
  // A key object, because with raw bytes every HMAC would set up the key again.
  const hashKey = createSecretKey(key('token hash'));
  const deriveKey = createSecretKey(key('derived token'));
  const derived = new LRUCache<string, string>({
    max: DERIVED_MOST,
    memoMethod: (name) => finish(name.slice(0, name.indexOf('\0')) as TokenPrefix, createHmac('sha256', deriveKey).update(name).digest()),
  });
  return {
    issue: (prefix) => finish(prefix, randomBytes(32)),
    derive: (prefix, subject) => derived.memo(`${prefix}\0${subject}`),
    hash: (token) => createHmac('sha256', hashKey).update(token).digest(),
    key,
  };
}

/**
 * Whether a text has the prefix, length and checksum of a token. Other texts can be refused without
 * a query.
 */
export function isWellFormed(token: string, prefix: TokenPrefix): boolean {
  if (!token.startsWith(prefix) || token.length !== prefix.length + BODY_LENGTH + CHECK_LENGTH) return false;
  const body = token.slice(0, -CHECK_LENGTH);
  return checksum(body) === token.slice(-CHECK_LENGTH);
}

/** Returns the first characters, by which people recognize a token. */
export function displayPrefix(token: string, prefix: TokenPrefix): string {
  return token.slice(0, prefix.length + DISPLAY_LENGTH);
}

/** Compares two secrets in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns a random identifier: 128 bits in base62. Not a secret. */
export function randomId(prefix: string): string {
  return prefix + base62(randomBytes(16), 22);
}

function finish(prefix: TokenPrefix, bytes: Buffer): string {
  const body = prefix + base62(bytes, BODY_LENGTH);
  return body + checksum(body);
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, CHECK_LENGTH);
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (text.length < length) {
    let chunk = Number(rest % CHUNK);
    rest /= CHUNK;
    for (let digit = 0; digit < CHUNK_DIGITS; digit += 1) {
      text = ALPHABET[chunk % 62] + text;
      chunk = Math.floor(chunk / 62);
    }
  }
  return text.slice(-length);
}

/**
 * A double holds this many base-62 digits exactly. Dividing a bigint once per digit would be much
 * slower.
 */
const CHUNK_DIGITS = 8;
const CHUNK = 62n ** BigInt(CHUNK_DIGITS);
