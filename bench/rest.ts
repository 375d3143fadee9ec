import { openDatabase } from '../infra/database.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, type Round, rateBar, timeBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

const CONNECTIONS = 16;

await report(restBars);

/** node bench/rest.ts: bars 1 and 2: creates and reads over REST, compared with bare Koa. */
async function restBars(bed: TestBed): Promise<Bar[]> {
  const { databaseUrl } = await bed.system();
  const { apiUrl, key, workspaceId, post } = await openServer(bed, { mode: 'TOOLS', integrations: [] });
  const reference = await startReference('bare-koa.ts', { databaseUrl });
  try {
    let count = 0;
    const aUser = () => ({
      workspaceId,
      externalId: `user-${count++}`,
      displayName: 'A person',
      email: 'person@example.com',
      metadata: { plan: 'pro' },
    });
    const ours: Target = { origin: apiUrl, token: key, method: 'POST', path: '/api/v1/end-users', body: aUser, answers: '"externalId"' };
    const bare: Target = { ...ours, origin: reference.origin, token: 'key-1', path: '/users', answers: '"external_id"' };
    const creates = await inTurns(
      () => load(ours, CONNECTIONS),
      () => load(bare, CONNECTIONS),
    );

    const { endUser } = await post('/end-users', aUser());
    const { user } = (await (
      await fetch(`${reference.origin}/users`, {
        method: 'POST',
        headers: { authorization: 'Bearer key-1' },
        body: JSON.stringify(aUser()),
      })
    ).json()) as { user: { id: string } };
    const read: Target = { origin: apiUrl, token: key, method: 'GET', path: `/api/v1/workspaces/${workspaceId}`, answers: '"slug"' };
    const bareRead: Target = { ...read, origin: reference.origin, token: 'key-1', path: `/users/${user.id}`, answers: '"external_id"' };
    const reads = await inTurns(
      () => load(read, CONNECTIONS),
      () => load(bareRead, CONNECTIONS),
    );
    const rich: Target = { ...read, path: `/api/v1/end-users/${endUser.id}`, answers: '"connections"' };
    const richReads = await inTurns(
      () => load(rich, CONNECTIONS),
      () => load(bareRead, CONNECTIONS),
    );

    const few = await rounds(() => load(read, CONNECTIONS));
    await insertKeys(databaseUrl, 100_000);
    const many = await rounds(() => load(read, CONNECTIONS));

    await insertEndUsers(databaseUrl, workspaceId, 100_000);
    const pageAt = (offset: number) => async () => {
      const path = `/api/v1/end-users?workspaceId=${workspaceId}&limit=50&offset=${offset}`;
      return load({ ...read, path, answers: '"total"' }, 1);
    };
    const pages = await inTurns(pageAt(49_950), pageAt(0));
    return [
      rateBar('1 create an end user', 0.75, creates),
      timeBar('1 the same, p99', 1.5, p99(creates)),
      rateBar('2 GET a workspace', 0.8, reads),
      rateBar('  GET an end user with its connections', 0.8, richReads),
      rateBar('2 the same among 100,000 keys, against few', 0.9, { ours: many, reference: few }),
      timeBar('  page 1,000 of 100,000 end users, against page 1', 2, p50(pages)),
    ];
  } finally {
    reference.stop();
  }
}

function p99({ ours, reference }: { ours: Round[]; reference: Round[] }) {
  return { ours: ours.map(({ p99Ms }) => p99Ms), reference: reference.map(({ p99Ms }) => p99Ms) };
}

function p50({ ours, reference }: { ours: Round[]; reference: Round[] }) {
  return { ours: ours.map(({ p50Ms }) => p50Ms), reference: reference.map(({ p50Ms }) => p50Ms) };
}

async function rounds(measure: () => Promise<Round>): Promise<Round[]> {
  await measure();
  const measured: Round[] = [];
  for (let round = 0; round < 5; round += 1) measured.push(await measure());
  return measured;
}

async function insertEndUsers(databaseUrl: string, workspaceId: string, count: number): Promise<void> {
  const db = openDatabase({ url: databaseUrl, name: 'bench', maxConnections: 1 });
  await db.raw(
    `insert into end_users (org_id, workspace_id, external_id, metadata, created_at)
     select org_id, id, 'one-of-many-' || n, '{}', now() + n * interval '1 millisecond' from workspaces, generate_series(1, ?) n where id = ?`,
    [count, workspaceId],
  );
  await db.raw('vacuum analyze end_users');
  await db.destroy();
}

async function insertKeys(databaseUrl: string, count: number): Promise<void> {
  const db = openDatabase({ url: databaseUrl, name: 'bench', maxConnections: 1 });
  await db.raw(
    `insert into api_keys (org_id, name, key_prefix, key_hash, permissions, scope)
     select (select id from orgs limit 1), 'one of many', 'svc_', sha256(convert_to('many-' || n, 'utf8')), '{}', 'org' from generate_series(1, ?) n`,
    [count],
  );
  await db.raw('analyze api_keys');
  await db.destroy();
}
