import { runPrepared } from '../../../infra/database.ts';
import { vacuum } from '../../support/vacuum.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace } from '../checked-caller.ts';
import { anEndUser, END_USERS } from './end-user-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
});
afterAll(() => bed?.close());

const list = (workspaceId: string, page = '') => bed.api.get(`${END_USERS}?workspaceId=${workspaceId}${page}`);
const externalIds = ({ body }: Awaited<ReturnType<typeof list>>) => body.endUsers.map((item: { externalId: string }) => item.externalId);

test('the list contains the end users of one workspace, oldest first', async () => {
  const workspaceId = await aWorkspace(bed, 'paged');
  await anEndUser(bed, { externalId: 'elsewhere' });
  for (const externalId of ['a', 'b', 'c']) await anEndUser(bed, { workspaceId, externalId });
  const pages = [await list(workspaceId), await list(workspaceId, '&limit=2'), await list(workspaceId, '&limit=2&offset=2')];
  expect(pages.map(externalIds)).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c']]);
  const past = await list(workspaceId, '&offset=3');
  expect([...pages, past].map(({ body }) => body.total)).toEqual([3, 3, 3, 3]);
  expect(past.body.endUsers).toEqual([]);
});

test('a page has 50 end users by default and at most 100', async () => {
  const workspaceId = await aWorkspace(bed, 'full');
  await fill(workspaceId, 101);
  const lengths = await Promise.all(['', '&limit=1', '&limit=99', '&limit=100'].map(async (page) => (await list(workspaceId, page)).body));
  expect(lengths.map(({ endUsers, total }) => [endUsers.length, total])).toEqual([
    [50, 101],
    [1, 101],
    [99, 101],
    [100, 101],
  ]);
});

test.each(['&limit=0', '&limit=101', '&limit=1.5', '&limit=x', '&limit=', '&offset=-1', '&offset=0.5'])(
  'the query %s is refused instead of being corrected',
  async (page) => {
    expect(await list(bed.workspaceId, page)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  },
);

test('workspaceId is required exactly once, and must be a UUID', async () => {
  for (const query of ['', '?workspaceId=', '?workspaceId=x', `?workspaceId=${bed.workspaceId}&workspaceId=${bed.workspaceId}`]) {
    expect(await bed.api.get(`${END_USERS}${query}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  }
});

test('a page of a large table is found in indexes, without a sequential scan', async () => {
  const workspaceId = await aWorkspace(bed, 'large');
  await fill(workspaceId, 5000);
  await fill(bed.workspaceId, 25_000);
  const { db } = bed.gateway;
  await vacuum(bed.patient, 'end_users');
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const listen = (query: { sql: string; bindings: unknown[] }) => asked.push(query);
  db.on('query', listen);
  const answer = await list(workspaceId, '&limit=50&offset=2450');
  db.off('query', listen);
  expect([externalIds(answer)[0], answer.body.endUsers.length, answer.body.total]).toEqual(['user 002451', 50, 5000]);

  const reads = asked.filter(({ sql }) => sql.includes('"end_users"'));
  expect(reads).toHaveLength(2);
  for (const [index, { sql, bindings }] of reads.entries()) {
    const explain = { name: `explain-${index}`, text: `explain (analyze) ${sql}` };
    const plan = await runPrepared<{ 'QUERY PLAN': string }>(bed.patient, explain, bindings);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).not.toMatch(/Seq Scan/);
    expect(lines).toMatch(index === 0 ? /Index Only Scan using end_users_list/ : /Index Only Scan using end_users_/);
  }
});

/**
 * With `synchronous_commit`, the write-ahead log is on disk after the commit. Only then can
 * `vacuum` mark the pages as visible.
 */
async function fill(workspaceId: string, count: number): Promise<void> {
  await bed.patient.transaction(async (tx) => {
    await tx.raw('set local synchronous_commit = on');
    await tx.raw(
      `insert into end_users (org_id, workspace_id, external_id, metadata, created_at)
       select :orgId, :workspaceId, 'user ' || lpad(n::text, 6, '0'), json_build_object('note', repeat('x', 200)),
         now() + n * interval '1 millisecond' from generate_series(1, :count) n`,
      { orgId: bed.orgId, workspaceId, count },
    );
  });
}
