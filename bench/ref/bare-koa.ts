import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import pg from 'pg';
import { z } from 'zod';

/** The reference for REST: Koa, a router, zod and prepared statements. Prints its port. */
const { databaseUrl } = JSON.parse(process.argv[2]!) as { databaseUrl: string };
const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
await pool.query(`
  create table ref_keys (hash bytea primary key, org_id uuid not null);
  create table ref_users (id uuid primary key default gen_random_uuid(), org_id uuid not null, workspace_id uuid not null, external_id text not null,
    display_name text, email text, metadata jsonb not null, created_at timestamptz not null default now(), unique (workspace_id, external_id));
  insert into ref_keys select sha256(convert_to('key-' || n, 'utf8')), gen_random_uuid() from generate_series(1, 100) n;`);

const body = z.strictObject({
  workspaceId: z.uuid(),
  externalId: z.string().min(1),
  displayName: z.string().optional(),
  email: z.email().optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
});
const router = new Router();
router.post('/users', async (ctx: Context) => {
  const orgId = await authenticate(ctx);
  const user = body.parse(await readJson(ctx));
  const { rows } = await pool.query({
    name: 'insert',
    text: 'insert into ref_users (org_id, workspace_id, external_id, display_name, email, metadata) values ($1, $2, $3, $4, $5, $6) returning *',
    values: [orgId, user.workspaceId, user.externalId, user.displayName, user.email, user.metadata],
  });
  ctx.status = 201;
  ctx.body = { user: rows[0] };
});
router.get('/users/:id', async (ctx: Context) => {
  const orgId = await authenticate(ctx);
  const { rows } = await pool.query({
    name: 'find',
    text: 'select * from ref_users where org_id = $1 and id = $2',
    values: [orgId, ctx.params.id],
  });
  ctx.body = { user: rows[0] ?? null };
});

const app = new Koa().use(router.routes() as unknown as Koa.Middleware);
const server = app.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

async function authenticate(ctx: Context): Promise<string> {
  const hash = createHash('sha256').update(ctx.get('authorization').slice(7)).digest();
  const { rows } = await pool.query({ name: 'key', text: 'select org_id from ref_keys where hash = $1', values: [hash] });
  if (!rows[0]) ctx.throw(401);
  return rows[0].org_id;
}

async function readJson(ctx: Context): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
