import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { GatewayError } from '../domain/errors.ts';
import { isMigrated } from '../migrations/migrate.ts';

/** GET /health: this process lives. GET /ready: Postgres, Temporal and the migrations are there, else 503 naming what is not. */
export function health(gateway: Gateway): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/health' && ctx.path !== '/ready') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
    }
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
