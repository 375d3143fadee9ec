import { createWorkspace } from '../../../commands/create-workspace.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { withWorkspaceKey } from '../checked-caller.ts';
import { readPlans } from '../read-plans.ts';

const ROWS = 100_000;
const APPROVAL = 'apr_0000000000000000000001';
const POLICY = '11111111-1111-4111-8111-111111111111';

/** Of a hundred thousand rows of an organization every thousandth is about what is asked for; every other one is of another workspace. */
const FILL = `insert into activity (org_id, workspace_id, type, actor_type, details, approval_id, policy_id, code_run_id, created_at)
  select :orgId, case n % 2 when 0 then :workspaceId::uuid else :elsewhere::uuid end,
    case n % 1000 when 0 then 'call.blocked' else 'webhook.delivered' end, 'system', ('{"text":"' || repeat('x', 200) || '"}')::json,
    case n % 1000 when 0 then '${APPROVAL}' else 'apr_' || lpad(n::text, 22, '1') end,
    case n % 1000 when 0 then '${POLICY}'::uuid else gen_random_uuid() end,
    case n % 1000 when 0 then 'crun_1' else 'crun_of_' || n end, now() - n * interval '1 second'
  from generate_series(1, :count) n`;

let bed: ApiBed;
let elsewhere: string;
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  elsewhere = (await createWorkspace(bed.gateway, { orgId, name: 'Elsewhere', slug: 'elsewhere' })).id;
  await bed.patient.raw(FILL, { orgId, workspaceId, elsewhere, count: ROWS });
  await bed.patient.raw('vacuum analyze activity');
}, 120_000);
afterAll(() => bed.close());

/** The cursor of a page that lies far behind. */
const far = () => {
  const createdAt = new Date(Date.now() - (ROWS / 2) * 1000).toISOString().replace('Z', '000Z');
  return Buffer.from(JSON.stringify({ createdAt, id: 1 })).toString('base64url');
};

test.each([
  ['all of it', ''],
  ['by type', '&type=call.blocked'],
  ['of an approval', `&approvalId=${APPROVAL}`],
  ['of a policy', `&policyId=${POLICY}`],
  ['of a run', '&codeRunId=crun_1'],
  ['of a workspace', '&workspaceId=:workspace'],
  ['up to a time', '&to=2020-01-01T00:00:00Z'],
])('a page of 100,000 rows, %s, reads its own rows alone, wherever it lies', async (_, filter) => {
  const path = `/api/v1/activity?limit=20${filter.replace(':workspace', bed.workspaceId)}`;
  for (const page of [path, `${path}&cursor=${far()}`]) {
    const { activity } = await bed.api.must(200).get(page);
    const plans = await readPlans(bed.gateway.db, 'activity', () => bed.api.get(page));
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatch(/Index Scan using activity_\w+ on activity/);
    expect(readRows(plans[0]!)).toBeLessThanOrEqual(21);
    expect(plans[0]).not.toMatch(/Removed by Filter|Seq Scan on activity /);
    expect(activity.length).toBe(filter.startsWith('&to') ? 0 : 20);
  }
});

test('a page for a key of several workspaces reads as many rows of each, and no more', async () => {
  const key = await withWorkspaceKey(bed, [bed.workspaceId, elsewhere]);
  const page = `/api/v1/activity?limit=20&cursor=${far()}`;
  const plans = await readPlans(bed.gateway.db, 'activity', () => key.get(page));
  expect(plans[0]).toMatch(/Index Scan using activity_of_workspace on activity .*rows=21\.00 loops=2/);
  expect(plans[0]).not.toMatch(/Removed by Filter/);
});

/** How many rows of the trail a plan read. */
function readRows(plan: string): number {
  const [, rows, loops] = /Index Scan using activity_\w+ on activity .*rows=([\d.]+) loops=(\d+)/.exec(plan) ?? [];
  return Number(rows) * Number(loops);
}
