import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { GatewayError } from '../domain/errors.ts';
import { isMigrated } from '../migrations/migrate.ts';
import { assertMethod, READ_METHODS } from './middleware/assert-method.ts';

/**
 * GET /health answers 200 while this process runs. GET /ready answers 200 if Postgres and Temporal
 * respond and all migrations are applied, else 503 with the names of the missing parts.
 */
export function health(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/health' && ctx.path !== '/ready') return next();
    assertMethod(ctx, READ_METHODS);
    if (ctx.path === '/ready') await assertReady(gateway);
    ctx.body = { status: ctx.path === '/ready' ? 'ready' : 'healthy' };
  };
}

async function assertReady(gateway: Gateway): Promise<void> {
  const checks = { postgres: () => isMigrated(gateway.db), temporal: () => gateway.orchestrator.ping().then(() => true) };
  const missing: string[] = [];
  await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const ok = await check().catch(() => undefined);
      if (ok === undefined) missing.push(name);
      else if (!ok) missing.push('migrations');
    }),
  );
  if (missing.length > 0) throw new GatewayError('UNAVAILABLE', `Not ready: ${missing.sort().join(', ')}.`, { missing });
}
