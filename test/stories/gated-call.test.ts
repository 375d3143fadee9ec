import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';

let upstream: Receiver;
let tenant: Tenant;

beforeEach(async () => {
  upstream = await aReceiver();
  tenant = await aTenant();
});
afterEach(() => upstream.close());

const send = (fields: object = {}) =>
  tenant.api.post('/api/v1/actions/execute', {
    integrationName: 'http',
    actionName: 'send_request',
    workspaceId: tenant.workspaceId,
    input: { method: 'POST', url: `${upstream.url}/pay`, body_type: 'json', body: { amount: 12 } },
    ...fields,
  });

test('a gated call runs exactly once after its approval', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const gated = await send();
  expect(gated.status).toBe(202);
  expect(gated.body).toMatchObject({
    success: false,
    status: 'approval_required',
    approval: { status: 'pending', approvalAccessMode: 'dashboard_and_hosted_link' },
  });
  expect(upstream.received).toHaveLength(0);

  const { id, retry } = gated.body.approval;
  const decided = await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`, { reason: 'fine' });
  expect(decided).toMatchObject({ approval: { id, status: 'approved', decisionReason: 'fine' }, receipt: { id: expect.any(String) } });

  const retried = await send({ idempotencyKey: retry.idempotencyKey });
  expect(retried).toMatchObject({ status: 200, body: { success: true, output: { status: 200 } } });
  const repeated = await send({ idempotencyKey: retry.idempotencyKey });
  expect(repeated.body.output).toEqual(retried.body.output);
  expect(upstream.received).toHaveLength(1);
  expect((await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval).toMatchObject({
    status: 'consumed',
    consumedAt: expect.any(String),
  });
});

test('the same call gets the same pending approval, and another input a new approval', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const [first, again] = [await send(), await send()];
  const other = await send({ input: { method: 'GET', url: upstream.url } });
  expect(again.body.approval.id).toBe(first.body.approval.id);
  expect(other.body.approval.id).not.toBe(first.body.approval.id);
});

test('fifty concurrent retries of an approved call make one upstream call and get its outcome', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const { id, retry } = (await send()).body.approval;
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(retry)));
  expect(upstream.received).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test('concurrent retries without an idempotency key make only one upstream call', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const { id } = (await send()).body.approval;
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
  const answers = await Promise.all(Array.from({ length: 50 }, () => send()));
  expect(upstream.received).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
});

test('a rejected call does not run, and repeating it creates a new approval', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const { id } = (await send()).body.approval;
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/reject`, { reason: 'too much' });
  const again = await send();
  expect(again.status).toBe(202);
  expect(again.body.approval.id).not.toBe(id);
  expect(upstream.received).toHaveLength(0);
});

test('equal concurrent requests with one idempotency key share one outcome', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  upstream.answerWith(() => held.then(() => ({ status: 200, body: '{"n":1}' })));
  const first = send({ idempotencyKey: 'k1' });
  await upstream.has(1);
  const second = send({ idempotencyKey: 'k1' });
  const conflict = await send({ idempotencyKey: 'k1', input: { method: 'GET', url: upstream.url } });
  expect(conflict).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
  release();
  expect((await first).body.output).toEqual((await second).body.output);
  expect(upstream.received).toHaveLength(1);
});

test('block refuses a call, and auto_approve admits and records a call', async () => {
  const policy = await aPolicy(tenant, { integrationNames: ['http'], decision: 'block', name: 'Never' });
  expect(await send()).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
  await tenant.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);

  await aPolicy(tenant, { integrationNames: ['http'], decision: 'auto_approve' });
  expect((await send()).status).toBe(200);
  const { approvals } = await tenant.api.must(200).get('/api/v1/approvals');
  expect(approvals).toMatchObject([{ status: 'consumed', decidedByType: 'policy' }]);
  expect(upstream.received).toHaveLength(1);
});

test('a reuse window admits the same call again, and no other call', async () => {
  await aPolicy(tenant, { integrationNames: ['http'], reuseWindowSeconds: 600 });
  const { id } = (await send()).body.approval;
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
  expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  expect((await send({ input: { method: 'GET', url: upstream.url } })).status).toBe(202);
  expect(upstream.received).toHaveLength(2);
});
