import type { Context } from 'koa';
import { GatewayError } from '../domain/errors.ts';

/** A signal that aborts when the caller closes the connection. */
export function goneSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort(new GatewayError('UNAVAILABLE', 'The caller closed the connection.')));
  return gone.signal;
}
