import type { Context } from 'koa';
import { GatewayError } from '../../domain/errors.ts';

/** Throws METHOD_NOT_ALLOWED and sets `Allow` if the request's method is not in `methods`. */
export function assertMethod(ctx: Context, methods: readonly string[]): void {
  if (methods.includes(ctx.method)) return;
  ctx.set('Allow', methods.join(', '));
  throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
}

/** Methods of read-only resources. */
export const READ_METHODS = ['GET', 'HEAD'] as const;
