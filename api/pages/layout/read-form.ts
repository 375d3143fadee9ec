import type { Context } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';

/** Longest form that a hosted page takes: a token and a reason, or credentials, percent-encoded. */
export const FORM_MAX_BYTES = 32 * 1024;

/** The fields of a posted form. Throws UNSUPPORTED_MEDIA_TYPE and PAYLOAD_TOO_LARGE. */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/x-www-form-urlencoded.');
  }
  if (Number(ctx.get('Content-Length') || 0) > FORM_MAX_BYTES) throw tooLarge(ctx);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += chunk.length;
    if (length > FORM_MAX_BYTES) throw tooLarge(ctx);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

function tooLarge(ctx: Context): GatewayError {
  ctx.set('Connection', 'close');
  return new GatewayError('PAYLOAD_TOO_LARGE', `The form is larger than ${FORM_MAX_BYTES} bytes.`);
}
