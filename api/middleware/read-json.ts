import type { Context } from 'koa';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { findPlace } from '../../domain/find-place.ts';
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, BODY_MAX_KEYS, NUMBER_TOO_LARGE } from '../../domain/limits.ts';

/** The JSON body of a request; undefined when there is none. Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON, VALIDATION_ERROR. */
export async function readJson(ctx: Context): Promise<unknown> {
  const bytes = await readBytes(ctx);
  if (bytes.length === 0) return undefined;
  const encoding = ctx.get('Content-Encoding');
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  if (!ctx.is('json', '+json')) throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  const value = parse(bytes);
  assertShape(value);
  return value;
}

/** What is too large is read to its end all the same, within reason: a caller that is still sending would not see the answer. */
const READ_AT_MOST_BYTES = 8 * BODY_MAX_BYTES;

async function readBytes(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += chunk.length;
    if (length <= BODY_MAX_BYTES) chunks.push(chunk);
    if (length > READ_AT_MOST_BYTES) break;
  }
  if (length <= BODY_MAX_BYTES) return Buffer.concat(chunks);
  if (length > READ_AT_MOST_BYTES) ctx.set('Connection', 'close');
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${BODY_MAX_BYTES} bytes.`);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new GatewayError('INVALID_JSON', 'The body is not valid JSON.');
  }
}

/** Level by level, so that a deep body can't exhaust the stack. */
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

/** JSON writes it, but no number here is one that JSON could write again. */
function isTooLarge(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
