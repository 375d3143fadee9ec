import { checkedCaller, checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';

type Checked = Awaited<ReturnType<typeof checkedTenant>>;
const APPROVALS = '/api/v1/approvals';

async function aPending(tenant: Checked, policy: object = {}, input: object = {}) {
  await tenant.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', ...policy });
  return again(tenant, input);
}

async function again({ api, workspaceId }: Checked, input: object = {}) {
  const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x', ...input } };
  return { call, gated: await api.must(202).post('/api/v1/actions/execute', call) };
}

test('an approval shows the call, the reasons and the expiry time', async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant, {}, { text: 'sk-live-abcdefghijklmnop1234' });
  const { approval } = await tenant.api.must(200).get(`${APPROVALS}/${gated.approval.id}`);
  expect(approval).toMatchObject({
    id: gated.approval.id,
    policyId: gated.approval.policyId,
    orgId: tenant.orgId,
    workspaceId: tenant.workspaceId,
    endUserId: null,
    source: 'rest',
    status: 'pending',
    integrationName: 'hash-encode',
    integrationAlias: 'hash-encode',
    actionName: 'hash',
    inputPreview: { text: '[redacted]' },
    redactedPaths: ['text'],
    riskReasons: ['policy "Ask first" matches every action'],
    riskScore: null,
    approvalAccessMode: 'dashboard_and_hosted_link',
    idempotencyKey: gated.approval.retry.idempotencyKey,
    requestedByType: 'api_key',
    decidedByType: null,
    decisionReason: null,
    decisionMetadata: null,
    decidedAt: null,
    consumedAt: null,
    expiresAt: gated.approval.expiresAt,
    defaultOnTimeout: 'reject',
  });
  expect(Date.parse(approval.expiresAt) - Date.parse(approval.createdAt)).toBe(3_600_000);
  expect(approval).not.toHaveProperty('webhookDeliveries');
});

test('only the answer to the call, and answers to keys that may decide, contain the bearer link', async () => {
  const tenant = await checkedTenant();
  const reader = await withKey(tenant, {});
  const caller = await withWorkspaceKey(tenant);
  const { call } = await aPending(tenant);
  const gated = await caller.must(202).post('/api/v1/actions/execute', { ...call, input: { text: 'by a key without decide' } });
  const link = new RegExp(`^${tenant.apiUrl}/approve/${gated.approval.id}\\?token=apr_link_v1_`);
  expect(gated.approval.hostedApprovalUrl).toMatch(link);
  expect(gated.approval.approvalUrl).toMatch(link);
  const path = `${APPROVALS}/${gated.approval.id}`;
  expect((await tenant.api.must(200).get(path)).approval.hostedApprovalUrl).toBe(gated.approval.hostedApprovalUrl);
  for (const { approval } of [await reader.must(200).get(path), await caller.must(200).get(path)]) {
    expect([approval.approvalUrl, approval.hostedApprovalUrl]).toEqual([null, null]);
  }
  expect(JSON.stringify(await reader.must(200).get(APPROVALS))).not.toContain('apr_link_v1_');
});

test('dashboard_only gives callers and readers the address of the dashboard page, and no hosted link', async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant, { approvalAccessMode: 'dashboard_only' });
  const { id, approvalUrl, hostedApprovalUrl } = gated.approval;
  expect([approvalUrl, hostedApprovalUrl]).toEqual([expect.stringMatching(new RegExp(`^http://[^/]+/app/approvals/${id}$`)), null]);
  for (const reader of [tenant.api, await withKey(tenant, {})]) {
    const [listed] = (await reader.must(200).get(APPROVALS)).approvals;
    const { approval } = await reader.must(200).get(`${APPROVALS}/${id}`);
    for (const seen of [listed, approval]) expect([seen.approvalUrl, seen.hostedApprovalUrl]).toEqual([approvalUrl, null]);
  }
});

test('approving creates a receipt; the same call then runs and consumes the approval', async () => {
  const tenant = await checkedTenant();
  const { call, gated } = await aPending(tenant);
  const path = `${APPROVALS}/${gated.approval.id}`;
  const decided = await tenant.api.must(200).post(`${path}/approve`, { reason: 'Fine', metadata: { ticket: 7 } });
  expect(decided.approval).toMatchObject({ status: 'approved', decidedByType: 'api_key', decisionReason: 'Fine', consumedAt: null });
  expect(decided.receipt).toEqual({ id: expect.any(String), expiresAt: expect.any(String) });
  const done = await tenant.api.must(200).post('/api/v1/actions/execute', { ...call, ...gated.approval.retry });
  expect(done.success).toBe(true);
  expect((await tenant.api.must(200).get(path)).approval).toMatchObject({ status: 'consumed', consumedAt: expect.any(String) });
});

test("a decision's metadata appears in the approval, and without secrets in the activity log", async () => {
  const tenant = await checkedTenant();
  const { id } = (await aPending(tenant)).gated.approval;
  const metadata = { ticket: 7, apiKey: 'zq-secret-value' };
  const decided = await tenant.api.must(200).post(`${APPROVALS}/${id}/reject`, { metadata });
  expect(decided.approval.decisionMetadata).toEqual(metadata);
  expect((await tenant.api.must(200).get(`${APPROVALS}/${id}`)).approval.decisionMetadata).toEqual(metadata);
  expect((await tenant.api.must(200).get(APPROVALS)).approvals[0].decisionMetadata).toEqual(metadata);
  const { activity } = await tenant.api.must(200).get(`/api/v1/activity?approvalId=${id}&type=approval.rejected`);
  expect(activity[0].details.decisionMetadata).toMatchObject({ ticket: 7 });
  expect(JSON.stringify(activity)).not.toContain('zq-secret-value');
});

test.each([
  ['reject', 'rejected'],
  ['cancel', 'canceled'],
])('%s needs no body and creates no receipt', async (decision, status) => {
  const tenant = await checkedTenant();
  const { call, gated } = await aPending(tenant);
  const { approval, receipt } = await tenant.api.must(200).post(`${APPROVALS}/${gated.approval.id}/${decision}`);
  expect([approval.status, approval.decisionReason, receipt]).toEqual([status, null, null]);
  const next = await tenant.api.must(202).post('/api/v1/actions/execute', call);
  expect(next.approval.id).not.toBe(gated.approval.id);
});

test('of fifty concurrent decisions, one succeeds and the others conflict', async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant);
  const decisions = ['approve', 'reject', 'cancel'];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => tenant.api.post(`${APPROVALS}/${gated.approval.id}/${decisions[index % 3]}`)),
  );
  const [winner, ...rest] = answers.filter(({ status }) => status === 200);
  expect(rest).toEqual([]);
  const { status } = winner!.body.approval;
  for (const answer of answers)
    if (answer !== winner) expect(answer).toMatchObject({ status: 409, body: { code: 'APPROVAL_ALREADY_DECIDED', details: { status } } });
  expect((await tenant.api.must(200).get(`${APPROVALS}/${gated.approval.id}`)).approval.status).toBe(status);
});

test("a decision requires the permission in the approval's workspace", async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant);
  const path = `${APPROVALS}/${gated.approval.id}/approve`;
  expect(await (await withKey(tenant, {})).post(path)).toMatchObject({ status: 403, body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' } });
  expect(await (await withWorkspaceKey(tenant)).post(path)).toMatchObject({
    status: 403,
    body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' },
  });
  expect(await (await withWorkspaceKey(tenant, [], { decide: true })).post(path)).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_DENIED' },
  });
  await (await withWorkspaceKey(tenant, undefined, { decide: true })).must(200).post(path);
});

test.each([
  ['a reason of 2001 characters', { reason: 'x'.repeat(2001) }, 400],
  ['a reason of 2000 characters', { reason: 'x'.repeat(2000) }, 200],
  ['a reason that is not a string', { reason: 5 }, 400],
  ['metadata that is a list', { metadata: [] }, 400],
  ['an unknown field', { comment: 'x' }, 400],
  ['a null body', null, 400],
])('the status of a decision with %s', async (_, body, status) => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant);
  expect((await tenant.api.post(`${APPROVALS}/${gated.approval.id}/cancel`, body)).status).toBe(status);
});

test('an approval of a policy with webhooks lists its deliveries', async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant, { approvers: [{ type: 'webhook', webhookUrl: 'http://127.0.0.1:9/hook' }] });
  await tenant.api.must(200).post(`${APPROVALS}/${gated.approval.id}/approve`);
  const { approval } = await tenant.api.must(200).get(`${APPROVALS}/${gated.approval.id}`);
  expect(approval.webhookDeliveries).toHaveLength(2);
  expect(approval.webhookDeliveries).toEqual(
    ['approval.requested', 'approval.approved'].map((eventType) =>
      expect.objectContaining({ eventType, callbackUrl: 'http://127.0.0.1:9/hook', attempt: expect.any(Number) }),
    ),
  );
  expect((await tenant.api.must(200).get(APPROVALS)).approvals[0]).not.toHaveProperty('webhookDeliveries');
});

test('notify_only and auto_approve run the call immediately and keep a record that the policy decided', async () => {
  const tenant = await checkedTenant();
  for (const decision of ['notify_only', 'auto_approve']) {
    const { policy } = await tenant.api.must(200).post('/api/v1/approval-policies', { name: decision, decision });
    await tenant.api.must(200).post('/api/v1/actions/execute', {
      workspaceId: tenant.workspaceId,
      integrationName: 'hash-encode',
      actionName: 'hash',
      input: { text: decision },
    });
    const { approvals } = await tenant.api.must(200).get(`${APPROVALS}?status=consumed&limit=1`);
    expect(approvals[0]).toMatchObject({
      policyId: policy.id,
      status: 'consumed',
      decidedByType: 'policy',
      inputPreview: { text: decision },
    });
    await tenant.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  }
});

test('a decision without an API key is refused', async () => {
  const tenant = await checkedTenant();
  const { gated } = await aPending(tenant);
  const nobody = checkedCaller(tenant.apiUrl);
  expect((await nobody.post(`${APPROVALS}/${gated.approval.id}/approve`)).status).toBe(401);
});
