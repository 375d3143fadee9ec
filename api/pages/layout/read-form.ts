import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config.ts';
import { assertUnencoded } from '../../middleware/assert-unencoded.ts';
import { readBytes } from '../../middleware/read-bytes.ts';
import { assertOwnSite } from './assert-own-site.ts';

/**
 * Maximum size of a form in bytes. Enough for a token with a reason or credentials,
 * percent-encoded.
 */
export const FORM_MAX_BYTES = 32 * 1024;
/** Maximum number of fields of a form. */
export const MAX_FIELDS = 5000;
const [PLUS, SPACE] = Buffer.from('+ ');

/**
 * Reads the fields of a form of our own pages. Throws SCOPE_DENIED for a form of another origin.
 */
export async function readForm(ctx: Context, config: Config): Promise<URLSearchParams> {
  assertOwnSite(ctx, config);
  return readFormOf(ctx);
}

/**
 * Reads the fields of a posted form. The caller must check the origin of the form first. Throws
 * UNSUPPORTED_MEDIA_TYPE and PAYLOAD_TOO_LARGE.
 */
export async function readFormOf(ctx: Context, maxBytes = FORM_MAX_BYTES): Promise<URLSearchParams> {
  assertUnencoded(ctx);
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/x-www-form-urlencoded.');
  }
  const bytes = await readBytes(ctx, maxBytes);
  if (!bytes) throw new GatewayError('PAYLOAD_TOO_LARGE', `The form is larger than ${maxBytes} bytes.`);
  return parseForm(bytes);
}

/**
 * Parses at most `MAX_FIELDS` + 1 fields, because more would block the event loop. Replaces each
 * "+" with a space first, because URLSearchParams needs 0.1 s to decode half a megabyte of "+".
 */
function parseForm(bytes: Buffer): URLSearchParams {
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === PLUS) bytes[index] = SPACE!;
  const fields = bytes.toString('utf8').split('&', MAX_FIELDS + 1);
  return new URLSearchParams(fields.join('&'));
}
