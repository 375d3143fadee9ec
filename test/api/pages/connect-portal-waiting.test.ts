import type { Approver } from '../../../domain/policies/policy.ts';
import { listPendingForEndUser } from '../../../store/approvals-for-end-user.ts';
import { aPortal, type ConnectBed, openConnectBed } from '../connect/connect-bed.ts';
import { readPlans } from '../read-plans.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

const ASKS_THEM: Approver[] = [{ type: 'org_role', roles: ['owner'] }, { type: 'end_user' }];
let calls = 0;

async function aGatedCall(endUserId: string, approvers: Approver[] = ASKS_THEM): Promise<string> {
  calls += 1;
  const policy = {
    name: `P${calls}`,
    workspaceId: bed.workspaceId,
    integrationNames: ['clock'],
    approvers,
    approvalAccessMode: 'dashboard_only',
  };
  const { id } = (await bed.api.must(200).post('/api/v1/approval-policies', policy)).policy;
  const call = { integrationName: 'clock', actionName: 'read', workspaceId: bed.workspaceId, endUserId, idempotencyKey: `k${calls}` };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  await bed.api.must(200).delete(`/api/v1/approval-policies/${id}`);
  return approval.id;
}

const linksOn = (html: string) => [...html.matchAll(/href="([^"]*\/approve\/[^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));

test('an end user sees the undecided approvals that they may decide', async () => {
  const { connectUrl } = await aPortal(bed, 'ada & co');
  expect((await read(connectUrl)).text).not.toContain('Waiting for you');
  const id = await aGatedCall('ada & co');
  const { text, html } = await read(connectUrl);
  expect(text).toContain('Waiting for you');
  expect(text).toContain('Read with Clock');
  const [link, ...more] = linksOn(html);
  expect(more).toEqual([]);
  const { pathname, searchParams } = new URL(link!);
  expect([pathname, searchParams.get('as')]).toEqual([`/approve/${id}`, 'end_user:ada & co']);
  expect((await read(link!)).status).toBe(200);
  await bed.api.must(200).post(`/api/v1/approvals/${id}/reject`);
  expect((await read(connectUrl)).text).not.toContain('Waiting for you');
});

test('overdue approvals, and approvals for other approvers or end users, are not listed', async () => {
  const { connectUrl } = await aPortal(bed, 'bob');
  await aGatedCall('carol');
  await aGatedCall('bob', []);
  await aGatedCall('bob', [{ type: 'org_role', roles: ['owner', 'admin', 'member'] }]);
  const late = await aGatedCall('bob');
  await bed.gateway
    .db('approvals')
    .where({ id: late })
    .update({ expires_at: bed.gateway.db.raw('now()') });
  expect((await read(connectUrl)).text).not.toContain('Waiting for you');
});

const FILL = `insert into approvals (id, org_id, workspace_id, end_user_id, approvers, source, status, integration_name, action_name, input_hash, input_preview,
    redacted_paths, risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, expires_at)
  select 'apr_' || :endUser || lpad(n::text, 19, '0'), :orgId, :workspaceId, :endUser, '[{"type":"webhook"},{"type":"end_user"}]', 'rest', 'pending', 'clock',
    'read', :endUser || n, '{}', '{}', '{}', 'dashboard_only', 3600, 'reject', 'idem', 'api_key', now() + n * interval '1 minute'
  from generate_series(1, :count) n`;

test('the twenty approvals that expire first are listed and read from an index', async () => {
  const { connectUrl } = await aPortal(bed, 'dan');
  const { orgId, workspaceId } = bed;
  for (const [endUser, count] of [
    ['dan', 2000],
    ['eve', 20_000],
  ] as const)
    await bed.patient.raw(FILL, { orgId, workspaceId, endUser, count });
  await bed.patient.raw('analyze approvals');
  const { html, text } = await read(connectUrl);
  const listed = linksOn(html).map((link) => Number(new URL(link).pathname.slice(-19)));
  expect(listed).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(text).toContain('There are more requests.');
  const [plan] = await readPlans(bed.gateway.db, 'approvals', () => {
    return listPendingForEndUser(bed.gateway.db, { orgId, workspaceId, externalId: 'dan' }, 21);
  });
  expect(plan).toMatch(/Index Scan using approvals_of_end_user on approvals .*rows=21\.00/);
  expect(plan).not.toContain('Sort');
});
