import { reconcile } from '../../../commands/outbox/reconcile.ts';
import { trailOf } from '../../api/activity/activity-bed.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const call = (text: string) => ({ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } });
const execute = (text: string) => bed.api.post('/api/v1/actions/execute', call(text));

async function anApproved(text: string): Promise<string> {
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call(text));
  await bed.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  return approval.id;
}

async function earlier(id: string, seconds: number): Promise<void> {
  const before = (column: string) => bed.patient.raw(`?? - ? * interval '1 second'`, [column, seconds]);
  await bed
    .patient('approvals')
    .where({ id })
    .update({ decided_at: before('decided_at'), expires_at: before('expires_at') });
  await bed
    .patient('receipts')
    .where({ approval_id: id })
    .update({ expires_at: before('expires_at') });
}

/** Empties the outbox first, because Temporal does not run here. */
async function sweep(): Promise<void> {
  await bed.patient('outbox').delete();
  await reconcile(bed.gateway);
}

const statusOf = async (id: string) => (await bed.api.must(200).get(`/api/v1/approvals/${id}`)).approval.status;

test('the cleanup expires an unused approval and records that, but sends no webhook', async () => {
  const approvers = [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/approvals' }];
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'x', timeoutSeconds: 3600, approvers });
  const [good, pending, used, unused] = [
    await anApproved('good'),
    await execute('pending'),
    await anApproved('used'),
    await anApproved('unused'),
  ];
  await earlier(good, 3500);
  expect((await execute('used')).status).toBe(200);
  for (const id of [used, unused]) await earlier(id, 3600);
  await sweep();
  const ids = [good, pending.body.approval.id, used, unused];
  expect(await Promise.all(ids.map(statusOf))).toEqual(['approved', 'pending', 'consumed', 'expired']);
  const trail = await trailOf(bed.patient, { approval_id: unused });
  expect(trail.map(({ type, actorType }) => [type, actorType])).toEqual([
    ['approval.requested', 'api_key'],
    ['approval.approved', 'api_key'],
    ['approval.expired', 'timeout'],
  ]);
  expect(trail.at(-1)!.details).toMatchObject({ status: 'expired' });
  const events = await bed.patient('webhook_deliveries').where({ approval_id: unused }).orderBy('created_at').pluck('event_type');
  expect(events).toEqual(['approval.requested', 'approval.approved']);
  expect(await bed.patient('outbox').where({ approval_id: unused })).toEqual([]);
  expect(await bed.api.post(`/api/v1/approvals/${unused}/reject`)).toMatchObject({
    status: 409,
    body: { code: 'APPROVAL_ALREADY_DECIDED', details: { status: 'expired' } },
  });
  expect((await execute('unused')).status).toBe(202);
  await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});

test('the cleanup expires more unused approvals than fit into one batch', async () => {
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'x' });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await anApproved(`many ${n}`));
  await bed.patient.raw(
    `insert into approvals (id, org_id, workspace_id, source, status, integration_name, action_name, input_hash, input_preview, redacted_paths,
       risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, decided_by_type, decided_at, expires_at)
     select 'apr_many' || n, org_id, workspace_id, source, status, integration_name, action_name, n::text, input_preview, redacted_paths,
       risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, 'many' || n, requested_by_type, decided_by_type, now() - interval '8 days', now()
     from approvals, generate_series(1, 120) n where id = ?`,
    [ids[0]!],
  );
  await sweep();
  expect(await bed.patient('approvals').whereLike('id', 'apr_many%').distinct('status').pluck('status')).toEqual(['expired']);
  expect(await bed.patient('activity').whereLike('approval_id', 'apr_many%').pluck('type')).toEqual(Array(120).fill('approval.expired'));
  expect(await Promise.all(ids.map(statusOf))).toEqual(['approved', 'approved', 'approved']);
  await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});

test('within the reuse window, the approved call runs even if its approval expired unused', async () => {
  const { policy } = await bed.api
    .must(200)
    .post('/api/v1/approval-policies', { name: 'x', timeoutSeconds: 3600, reuseWindowSeconds: 7200 });
  const id = await anApproved('again');
  await earlier(id, 3700);
  await sweep();
  expect([await statusOf(id), (await execute('again')).status]).toEqual(['expired', 200]);
  await earlier(id, 3600);
  expect((await execute('again')).status).toBe(202);
  await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});
