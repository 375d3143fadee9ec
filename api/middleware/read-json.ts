import type { Context } from 'koa';
import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { findInexactIntegers } from '../../domain/inexact-integers.ts';
import {
  BODY_MAX_BYTES,
  BODY_MAX_DEPTH,
  BODY_MAX_FIELD_NAMES,
  BODY_MAX_KEYS,
  ERROR_LIMITS,
  NUMBER_TOO_LARGE,
} from '../../domain/limits.ts';
import { findPlace } from '../../domain/policies/find-place.ts';
import { breathe, noteLargeInput } from '../../infra/event-loop/breathe.ts';
import type { Route } from '../route.ts';
import { assertUnencoded } from './assert-unencoded.ts';
import { countJson, LARGE_OBJECT } from './count-json.ts';
import { readBytes } from './read-bytes.ts';
import { takeLargeField } from './take-large-field.ts';

/** A parsed JSON body. */
export interface JsonBody {
  /** Undefined when there is no body. */
  value: unknown;
  /**
   * Integers that a double cannot hold exactly. If there are any, the caller must refuse the
   * request.
   */
  lostIntegers: readonly Issue[];
}

/**
 * Reads the JSON body of a request.
 * Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON or VALIDATION_ERROR. For a large
 * body, also throws the error of `large.authorize`.
 */
export async function readJson(ctx: Context, large?: LargeField): Promise<JsonBody> {
  assertUnencoded(ctx);
  const refusal = refusalOf(large);
  const maxBytes = (!refusal && large?.maxBytes) || BODY_MAX_BYTES;
  const sent = await readBytes(ctx, maxBytes);
  if (!sent) throw refusal ?? tooLarge(maxBytes);
  if (sent.length === 0) return { value: undefined, lostIntegers: [] };
  if (!ctx.is('json', '+json')) throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  if (!large) return readBytesAsJson(sent);
  if (sent.length > LARGE_BYTES) noteLargeInput();
  const taken = await takeLargeField(sent, large.field, BODY_MAX_BYTES);
  if (!taken) throw tooLarge(BODY_MAX_BYTES, `The body without ${large.field}`);
  const body = await readBytesAsJson(taken.rest);
  if (taken.value !== undefined) (body.value as Record<string, unknown>)[large.field] = taken.value;
  return body;
}

function refusalOf(large: LargeField | undefined): Error | undefined {
  try {
    large?.authorize();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

/** `authorize` throws if this sender may not call the route. */
export interface LargeField extends Omit<NonNullable<Route['largeField']>, 'authorize'> {
  authorize(): void;
}

function tooLarge(maxBytes: number, what = 'The body'): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `${what} is larger than ${maxBytes} bytes.`);
}

/**
 * Parses bytes as JSON and checks the limits of a body. Throws INVALID_JSON or VALIDATION_ERROR.
 */
export async function readBytesAsJson(bytes: Buffer): Promise<JsonBody> {
  if (bytes.length > LARGE_BYTES) {
    noteLargeInput();
    assertCounts(bytes);
    await breathe();
  }
  const { text, value } = parse(bytes);
  await breathe();
  assertShape(value);
  await breathe();
  const lostIntegers = findInexactIntegers(text, value);
  await breathe();
  return { value, lostIntegers };
}

/**
 * Like `readBytesAsJson`, but synchronous. Use it only for texts far below the size limit of a
 * body.
 */
export function readShortJson(text: string): JsonBody {
  const { value } = parse(Buffer.from(text));
  assertShape(value);
  return { value, lostIntegers: findInexactIntegers(text, value) };
}

/** In bytes. Smaller bodies are not counted before parsing, because they are fast to parse. */
const LARGE_BYTES = 32 * 1024;

function parse(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new GatewayError('INVALID_JSON', 'The body is not valid JSON.');
  }
}

/** Refuses a body with very many values before parsing, because parsing it is slow. */
function assertCounts(bytes: Buffer): void {
  // Each value adds at most one comma and one opening bracket.
  const mostMarks = 2 * BODY_MAX_KEYS + 2;
  const { values, names, inLargeObjects } = countJson(bytes, mostMarks);
  const most = BODY_MAX_FIELD_NAMES;
  if (values > mostMarks) throw tooMany(bytes, names, `has more than ${BODY_MAX_KEYS} values`);
  if (names > most) throw tooMany(bytes, names, `has more than ${most} different field names`);
  if (inLargeObjects > most)
    throw tooMany(bytes, names, `has more than ${most} fields in objects of more than ${LARGE_OBJECT} fields each`);
}

const FIELD_NAME = /"((?:[^"\\]|\\.){0,200})"\s{0,20}:/g;

/**
 * If there are many field names, the error lists the first, so that the sender recognizes the body.
 */
function tooMany(bytes: Buffer, names: number, message: string): GatewayError {
  if (names <= ERROR_LIMITS.maxIssues) return validationError([{ path: '', message }]);
  const beginning = bytes.subarray(0, NAMED_WITHIN_BYTES).toString();
  const found = [...beginning.matchAll(FIELD_NAME)].slice(0, ERROR_LIMITS.maxIssues);
  const first = found.map(([, name]) => ({ path: name!, message: 'is one of too many fields' }));
  const rest = new Array(Math.max(0, names - first.length)).fill({ path: '', message });
  return validationError([{ path: '', message }, ...first, ...rest]);
}

const NAMED_WITHIN_BYTES = 24 * 1024;

/** Checks depth and size without recursion, so that a deep body cannot overflow the stack. */
function assertShape(value: unknown): void {
  let level = [value];
  let keys = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > BODY_MAX_DEPTH) throw validationError([{ path: '', message: `is nested deeper than ${BODY_MAX_DEPTH} levels` }]);
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
    keys += level.length;
    if (keys > BODY_MAX_KEYS) throw validationError([{ path: '', message: `has more than ${BODY_MAX_KEYS} values` }]);
    if (level.some(isTooLarge)) throw validationError([{ path: findPlace(value, isTooLarge)!.path, message: NUMBER_TOO_LARGE }]);
  }
}

/** Whether a value is a number that a double cannot hold, such as 1e999. */
function isTooLarge(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
