import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config.ts';
import { assertUnencoded } from '../../middleware/assert-unencoded.ts';
import { readBytes } from '../../middleware/read-bytes.ts';
import { assertOwnSite } from './assert-own-site.ts';

/** Largest form in bytes: a token and a reason, or credentials, percent-encoded. */
export const FORM_MAX_BYTES = 32 * 1024;
/** Largest number of fields: more than any form has. */
export const MAX_FIELDS = 5000;
const [PLUS, SPACE] = Buffer.from('+ ');

/**
 * The fields of a form that one of our own pages posted. Throws SCOPE_DENIED for a form of another
 * site, UNSUPPORTED_MEDIA_TYPE and PAYLOAD_TOO_LARGE.
 */
export async function readForm(ctx: Context, config: Config): Promise<URLSearchParams> {
  assertOwnSite(ctx, config);
  return readFormOf(ctx);
}

/**
 * The fields of a posted form; the caller has checked where it comes from. Throws
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
 * At most `MAX_FIELDS` fields and one more, because thousands of them block the event loop. So does
 * "+", which URLSearchParams decodes in 0.1 s for half a megabyte.
 */
function parseForm(bytes: Buffer): URLSearchParams {
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === PLUS) bytes[index] = SPACE!;
  const fields = bytes.toString('utf8').split('&', MAX_FIELDS + 1);
  return new URLSearchParams(fields.join('&'));
}
