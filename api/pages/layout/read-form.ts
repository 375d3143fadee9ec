import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config.ts';
import { assertUnencoded } from '../../middleware/assert-unencoded.ts';
import { readBytes } from '../../middleware/read-bytes.ts';
import { assertOwnSite } from './assert-own-site.ts';

/** Largest form in bytes: a token and a reason, or credentials, percent-encoded. */
export const FORM_MAX_BYTES = 32 * 1024;

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
export async function readFormOf(ctx: Context): Promise<URLSearchParams> {
  assertUnencoded(ctx);
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/x-www-form-urlencoded.');
  }
  if (Number(ctx.get('Content-Length') || 0) > FORM_MAX_BYTES) throw tooLarge(ctx);
  const bytes = await readBytes(ctx, FORM_MAX_BYTES);
  if (!bytes) throw tooLarge(ctx);
  return new URLSearchParams(bytes.toString('utf8'));
}

function tooLarge(ctx: Context): GatewayError {
  ctx.set('Connection', 'close');
  return new GatewayError('PAYLOAD_TOO_LARGE', `The form is larger than ${FORM_MAX_BYTES} bytes.`);
}
