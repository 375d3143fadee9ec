import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import {
  cancelPendingApprovals,
  expireUnusedApprovals,
  listForgottenApprovalIds,
  timeOutApproval,
  transitionApproval,
} from '../../../store/approval-transitions.ts';
import { extent } from '../../support/extent.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { readPlans } from '../read-plans.ts';

const PENDING = extent({ whole: 100_000, sample: 5_000 });
const USED = extent({ whole: 60_000, sample: 3_000 });

const FILL = `insert into approvals (id, org_id, workspace_id, source, status, integration_name, action_name, input_hash, input_preview, redacted_paths,
     risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, expires_at, created_at)
   select 'apr_' || lpad((n + :age)::text, 22, '0'), :orgId, :workspaceId, 'rest', :status, 'storage', 'write_file', n::text, '{"path":"a"}', '{}',
     '{}', 'dashboard_only', 3600, 'reject', 'idem_' || n, 'api_key', now() + interval '1 hour', now() - (n + :age) * interval '1 millisecond'
   from generate_series(1, :count) n`;

let bed: ApiBed;
let elsewhere: string;
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  elsewhere = (await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId, name: 'Elsewhere', slug: 'elsewhere' })).id;
  // The consumed approvals of the other workspace are newer than the pending approvals.
  await bed.patient.raw(FILL, { orgId, workspaceId: elsewhere, status: 'consumed', count: USED, age: 0 });
  await bed.patient.raw(FILL, { orgId, workspaceId, status: 'pending', count: PENDING, age: USED });
  await bed.patient.raw('vacuum analyze approvals');
});
afterAll(() => bed.close());

test.each([
  ['by status', '&status=pending'],
  ['by workspace', '&workspaceId=:workspace'],
  ['by workspace and status', '&workspaceId=:workspace&status=pending'],
])('a page of many pending approvals, filtered %s, reads at most one row more than it shows', async (_, filter) => {
  const list = `/api/v1/approvals?limit=100${filter.replace(':workspace', bed.workspaceId)}`;
  const first = await bed.api.must(200).get(list);
  expect([first.approvals.length, first.total]).toEqual([100, PENDING]);
  const next = `${list}&cursor=${first.nextCursor}`;
  expect((await bed.api.must(200).get(next)).approvals[0].id).toBe(idOf(USED + 101));
  const plans = await readPlans(bed.gateway.db, 'approvals', () => bed.api.get(next));
  expect(plans).toHaveLength(1);
  expect(plans[0]).toMatch(/Index Scan using \w+ on approvals .*rows=101\.00/);
  // The total comes from approval_counts, so approvals are scanned only for the page.
  expect(plans[0]!.match(/Scan using \w+ on approvals/g)).toHaveLength(1);
  expect(plans[0]).toMatch(/Index (Only )?Scan using \w+ on approval_counts/);
  expect(plans[0]).not.toMatch(/Seq Scan|Sort|Removed by Filter/);
});

test('deciding one of many pending approvals reads it by id alone', async () => {
  const move = { from: 'pending', to: 'approved', by: { type: 'system', id: null } } as const;
  const plans = await readPlans(bed.gateway.db, 'approvals', () => transitionApproval(bed.gateway.db, idOf(USED + 7), move));
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain('Index Scan using approvals_pkey');
});

test('finding and expiring overdue approvals reads none of the other pending approvals', async () => {
  const overdue = idOf(USED + 9);
  const past = bed.gateway.db.raw("now() - interval '2 minutes'");
  await bed.gateway.db('approvals').where({ id: overdue }).update({ expires_at: past });
  const [found] = await readPlans(bed.gateway.db, 'approvals', async () => {
    expect(await listForgottenApprovalIds(bed.gateway.db, 50)).toEqual([overdue]);
  });
  expect(found).toMatch(/Index Scan using approvals_pending on approvals .*rows=1\.00/);
  const [ended] = await readPlans(bed.gateway.db, 'approvals', () => timeOutApproval(bed.gateway.db, overdue));
  expect(ended).toMatch(/Index Scan using approvals_(pkey|pending) on approvals/);
});

test('deleting a workspace reads no pending approvals of other workspaces', async () => {
  const concern = { orgId: bed.orgId, workspaceId: elsewhere };
  const [plan] = await readPlans(bed.gateway.db, 'approvals', () => cancelPendingApprovals(bed.gateway.db, concern, 'gone'));
  expect(plan).toMatch(/Index Scan using \w+ on approvals .*rows=0\.00/);
  expect(plan).not.toContain('Removed by Filter');
});

test('expiring unused approvals reads no valid or consumed approvals', async () => {
  const { patient } = bed;
  const decided = { status: 'approved', decided_by_type: 'api_key', decided_at: patient.raw('now()') };
  await patient('approvals').where({ status: 'pending' }).update(decided);
  await patient.raw(`insert into receipts (org_id, approval_id, input_hash, expires_at)
    select org_id, id, input_hash, now() + interval '1 hour' from approvals where status in ('approved', 'consumed')`);
  const overdue = idOf(USED + 11);
  const past = patient.raw("now() - interval '1 hour'");
  await patient('approvals').where({ id: overdue }).update({ decided_at: past });
  await patient('receipts')
    .where({ approval_id: overdue })
    .update({ expires_at: patient.raw('now()') });
  await patient.raw('vacuum analyze approvals');
  await patient.raw('vacuum analyze receipts');
  const work = async () => {
    expect((await expireUnusedApprovals(bed.gateway.db, 50)).map(({ id }) => id)).toEqual([overdue]);
    await patient('approvals').where({ id: overdue }).update({ status: 'approved' });
  };
  const [plan] = await readPlans(bed.gateway.db, 'approvals', work);
  expect(plan).toMatch(/Index Scan using approvals_unused on approvals .*rows=1\.00/);
  expect(plan).toMatch(/Index (Only )?Scan using receipts_\w+ on receipts .*rows=(0|1)\.00/);
  expect(plan).not.toMatch(/Seq Scan|rows=\d{2,}\.00/);
});

function idOf(number: number): string {
  return `apr_${String(number).padStart(22, '0')}`;
}
