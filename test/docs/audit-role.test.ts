import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findUnrecorded } from '../../commands/audit/find-unrecorded.ts';
import { sealActivity } from '../../commands/audit/seal-activity.ts';
import { verifyActivity } from '../../commands/audit/verify-activity.ts';
import { isMigrated } from '../../migrations/migrate.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { askTestBed } from '../support/ask-test-bed.ts';
import { cloneDatabase } from '../support/system.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
const ROLE = `service_${randomBytes(4).toString('hex')}`;
const [MAKE, GRANT] = [...PAGE.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!.replaceAll('gateway_service', ROLE));

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let bed: ApiBed;
beforeAll(async () => {
  database = await cloneDatabase();
  await run((await askTestBed('postgres')).adminUrl, MAKE!);
  await run(database.url, GRANT!);
  const url = new URL(database.url);
  [url.username, url.password] = [ROLE, 'a long random password'];
  bed = await openApiBed({ DATABASE_URL: url.href });
});
afterAll(async () => {
  await bed.close();
  await database.drop();
  await run((await askTestBed('postgres')).adminUrl, `drop role ${ROLE}`);
});

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

test('the database role of docs/audit.md can request, decide, run and seal', async () => {
  const { api, workspaceId, gateway } = bed;
  expect(await isMigrated(gateway.db)).toBe(true);
  const { policy } = await api.must(200).post('/api/v1/approval-policies', { name: 'x' });
  const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' } };
  const { approval } = await api.must(202).post('/api/v1/actions/execute', call);
  await api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  await api.must(200).post('/api/v1/actions/execute', call);
  await api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  expect(await sealActivity(gateway.db)).toBe(5);
  const problems: string[] = [];
  await verifyActivity(gateway.db, bed.orgId, ({ problem }) => problems.push(problem));
  expect([problems, await findUnrecorded(gateway.db)]).toEqual([[], new Map()]);
});

test.each([
  "update activity set actor_id = 'another'",
  'delete from activity',
  'truncate activity',
  'update activity_seals set hash = null',
  'delete from activity_seals',
  'delete from activity_heads',
  'alter table activity disable trigger user',
  'alter table activity_heads disable trigger all',
  'drop trigger activity_append_only on activity',
  'drop table activity_seals',
  'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
  'set session_replication_role = replica',
  "update schema_migrations set migration_time = now() where name = '0013_activity.ts'",
])('the database role of docs/audit.md cannot: %s', async (sql) => {
  await expect(bed.gateway.db.raw(sql)).rejects.toThrow(/permission denied|must be owner/);
});
