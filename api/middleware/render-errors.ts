import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { type ErrorCode, GatewayError } from '../../domain/errors.ts';
import { isContended, isDatabaseUnavailable, isMissingReference, isUnstorableText } from '../../infra/database.ts';
import type { Logger } from '../../infra/logger.ts';

/**
 * Renders every error as `{ error, code, details? }`. Logs an unexpected error with the request id
 * and answers INTERNAL_ERROR.
 */
export function renderErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) throw new GatewayError('NOT_FOUND', 'This path does not exist.');
      writeJson(ctx);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.code === 'INTERNAL_ERROR') logger.error({ requestId: ctx.state.requestId, err: thrown }, 'request failed');
      if (error.code === 'UNAUTHORIZED' && !ctx.response.get('WWW-Authenticate')) ctx.set('WWW-Authenticate', 'Bearer');
      if (error.code in RETRY_AFTER && !ctx.response.get('Retry-After')) ctx.set('Retry-After', RETRY_AFTER[error.code]!);
      ctx.status = error.status;
      ctx.body = JSON.stringify(errorBody(error));
      ctx.type = 'json';
    }
  };
}

/** Values of Retry-After, in seconds. A value that the response already has is kept. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = { UNAVAILABLE: '1', RATE_LIMITED: '60' };

/** Serializes the body here, because Koa does so too late to render a failure as an error. */
function writeJson(ctx: Context): void {
  const { body } = ctx;
  if (isObjectToWrite(body)) ctx.body = JSON.stringify(body);
}

/** Types of bodies that Koa sends unchanged. */
const SENT_AS_IS = [Buffer, Readable, ReadableStream, Blob, Response];

function isObjectToWrite(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !SENT_AS_IS.some((kind) => body instanceof kind);
}

/** The body of an error answer (contract decisions 1). */
export function errorBody(error: GatewayError): object {
  return { error: error.message, code: error.code, ...(error.details && { details: error.details }) };
}

/** Converts a thrown value to an error that callers may see. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (isDatabaseUnavailable(thrown))
    return new GatewayError('UNAVAILABLE', 'The database is not reachable right now.', undefined, { cause: thrown });
  if (isContended(thrown))
    return new GatewayError('UNAVAILABLE', 'Too much changed at the same time. Try again.', undefined, { cause: thrown });
  if (isUnstorableText(thrown))
    return new GatewayError('VALIDATION_ERROR', 'A text contains a character that cannot be stored, such as NUL.');
  if (isMissingReference(thrown)) return new GatewayError('NOT_FOUND', 'A record that this request refers to was deleted.');
  return new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', undefined, { cause: thrown });
}
