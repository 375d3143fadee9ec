import { z } from 'zod';
import { cursorsOf } from '../../../api/cursor.ts';
import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import { extent } from '../../support/extent.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { withWorkspaceKey } from '../checked-caller.ts';
import { readPlans } from '../read-plans.ts';

const ROWS = extent({ whole: 100_000, sample: 5_000 });
const APPROVAL = 'apr_0000000000000000000001';
const POLICY = '11111111-1111-4111-8111-111111111111';

const ROWS_PER_MATCH = ROWS / 100;

const FILL = `insert into activity (org_id, workspace_id, type, actor_type, details, approval_id, policy_id, code_run_id, created_at)
  select :orgId, case n % 2 when 0 then :workspaceId::uuid else :elsewhere::uuid end,
    case n % ${ROWS_PER_MATCH} when 0 then 'call.blocked' else 'webhook.delivered' end, 'system', ('{"text":"' || repeat('x', 200) || '"}')::json,
    case n % ${ROWS_PER_MATCH} when 0 then '${APPROVAL}' else 'apr_' || lpad(n::text, 22, '1') end,
    case n % ${ROWS_PER_MATCH} when 0 then '${POLICY}'::uuid else gen_random_uuid() end,
    case n % ${ROWS_PER_MATCH} when 0 then 'crun_1' else 'crun_of_' || n end, now() - n * interval '1 second'
  from generate_series(1, :count) n`;

const cursors = cursorsOf('activity', z.int());

let bed: ApiBed;
let elsewhere: string;
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  elsewhere = (await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId, name: 'Elsewhere', slug: 'elsewhere' })).id;
  await bed.patient.raw(FILL, { orgId, workspaceId, elsewhere, count: ROWS });
  await bed.patient.raw('vacuum analyze activity');
});
afterAll(() => bed.close());

const middleCursor = (filter: Record<string, string> = {}) => {
  const createdAt = new Date(Date.now() - (ROWS / 2) * 1000).toISOString().replace('Z', '000Z');
  return cursors.write(bed.gateway.tokens, { orgId: bed.orgId, filter }, { createdAt, id: 1 });
};

test.each([
  ['without a filter', ''],
  ['by type', '&type=call.blocked'],
  ['by approval', `&approvalId=${APPROVAL}`],
  ['by policy', `&policyId=${POLICY}`],
  ['by run', '&codeRunId=crun_1'],
  ['by workspace', '&workspaceId=:workspace'],
  ['by time', '&to=2020-01-01T00:00:00Z'],
])('a page of a large log, %s, reads at most limit + 1 rows', async (_, filter) => {
  const path = `/api/v1/activity?limit=20${filter.replace(':workspace', bed.workspaceId)}`;
  const filters = Object.fromEntries(new URL(path, bed.apiUrl).searchParams);
  delete filters.limit;
  for (const page of [path, `${path}&cursor=${middleCursor(filters)}`]) {
    const { activity } = await bed.api.must(200).get(page);
    const plans = await readPlans(bed.gateway.db, 'activity', () => bed.api.get(page));
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatch(/Index Scan using activity_\w+ on activity/);
    expect(readRows(plans[0]!)).toBeLessThanOrEqual(21);
    expect(plans[0]).not.toMatch(/Removed by Filter|Seq Scan on activity /);
    expect(activity.length).toBe(filter.startsWith('&to') ? 0 : 20);
  }
});

test('a page reads at most limit + 1 rows for each workspace of the key', async () => {
  const key = await withWorkspaceKey(bed, [bed.workspaceId, elsewhere]);
  const page = `/api/v1/activity?limit=20&cursor=${middleCursor()}`;
  const plans = await readPlans(bed.gateway.db, 'activity', () => key.get(page));
  expect(plans[0]).toMatch(/Index Scan using activity_of_workspace on activity .*rows=21\.00 loops=2/);
  expect(plans[0]).not.toMatch(/Removed by Filter/);
});

function readRows(plan: string): number {
  const [, rows, loops] = /Index Scan using activity_\w+ on activity .*rows=([\d.]+) loops=(\d+)/.exec(plan) ?? [];
  return Number(rows) * Number(loops);
}
