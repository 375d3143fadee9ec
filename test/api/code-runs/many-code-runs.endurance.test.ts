import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import { deleteOldResults } from '../../../store/code-run-history.ts';
import { extent } from '../../support/extent.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { readPlans } from '../read-plans.ts';

const RUNS = extent({ whole: 100_000, sample: 5_000 });
const OTHERS = extent({ whole: 30_000, sample: 1_500 });
const SERVER = '22222222-2222-4222-8222-222222222222';

const FILL = `insert into code_runs (id, org_id, workspace_id, mcp_server_id, end_user_id, requested_by_type, status, code, code_hash, created_at, finished_at,
     result_deleted_at)
   select 'crun_' || lpad((n + :age)::text, 22, '0'), :orgId, :workspaceId, :server, :endUser, 'mcp_token', :status, '\\x00', '',
     now() - (n + :age) * interval '1 millisecond', now() - interval '2 days', now()
   from generate_series(1, :count) n`;

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  const elsewhere = (await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId, name: 'Elsewhere', slug: 'elsewhere' })).id;
  // The runs of the other workspace and server are newer than the listed runs.
  const others = { orgId, workspaceId: elsewhere, server: elsewhere, endUser: null, status: 'executed', count: OTHERS, age: 0 };
  await bed.patient.raw(FILL, others);
  await bed.patient.raw(FILL, { orgId, workspaceId, server: SERVER, endUser: 'ada', status: 'failed', count: RUNS, age: OTHERS });
  await bed.patient.raw('vacuum analyze code_runs');
});
afterAll(() => bed?.close());

test.each([
  ['without a filter', '', OTHERS],
  ['by status', '&status=failed', 0],
  ['by workspace', '&workspaceId=:workspace', 0],
  ['by server', `&mcpServerId=${SERVER}`, 0],
  ['by end user', '&endUserId=ada', 0],
])('a page of many runs, %s, reads at most one row more than it shows', async (_, filter, before) => {
  const list = `/api/v1/code-runs?limit=100${filter.replace(':workspace', bed.workspaceId)}`;
  const first = await bed.api.must(200).get(list);
  expect([first.codeRuns.length, first.total]).toEqual([100, RUNS + before]);
  const next = `${list}&cursor=${first.nextCursor}`;
  expect((await bed.api.must(200).get(next)).codeRuns[0].id).toBe(idOf(OTHERS - before + 101));
  const [page, count] = await readPlans(bed.gateway.db, 'code_runs', () => bed.api.get(next));
  expect(page).toMatch(/Index Scan using \w+ on code_runs .*rows=101\.00/);
  expect(page).not.toMatch(/Sort|Removed by Filter/);
  // Postgres uses an index-only scan only after a vacuum. An open transaction delays the vacuum.
  expect(count).toMatch(/Index (Only )?Scan using \w+ on code_runs/);
  expect(count).not.toMatch(/Seq Scan|Removed by Filter/);
});

test('finding results past their retention reads no results that are already deleted', async () => {
  const old = idOf(OTHERS + 7);
  await bed.patient('code_runs').where({ id: old }).update({ result_deleted_at: null });
  const [plan] = await readPlans(bed.gateway.db, 'code_runs', async () => {
    expect(await deleteOldResults(bed.gateway.db, 24, 20)).toBe(1);
    await bed.patient('code_runs').where({ id: old }).update({ result_deleted_at: null });
  });
  expect(plan).toMatch(/Index Scan using code_runs_kept_results on code_runs .*rows=1\.00/);
});

function idOf(number: number): string {
  return `crun_${String(number).padStart(22, '0')}`;
}
