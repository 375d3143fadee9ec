import { createHmac } from 'node:crypto';
import { aReceiver, type Received } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant } from '../support/tenant.ts';

test('a webhook approver receives signed events for the request and for the approval', async () => {
  const [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
  const policy = await aPolicy(tenant, {
    integrationNames: ['datetime'],
    approvers: [{ type: 'webhook', webhookUrl: `${receiver.url}/hook` }],
  });
  const secret = (policy.approvers as { secret: string }[])[0]!.secret;
  expect(secret).toMatch(/^whsec_/);

  await tenant.api.must(202).post('/api/v1/actions/execute', {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  });
  const [requested] = await receiver.has(1);
  assertSigned(requested!, secret);
  const event = JSON.parse(requested!.body);
  expect(event).toMatchObject({
    event: 'approval.requested',
    approval: { status: 'pending', actionName: 'parse_date', inputPreview: { dateString: '2026-01-01' } },
    receipt: null,
  });
  expect(event.approval.hostedApprovalUrl).toContain('token=apr_link_v1_');

  await tenant.api.must(200).post(new URL(event.approval.api.approveUrl).pathname);
  const [, approved] = await receiver.has(2);
  assertSigned(approved!, secret);
  expect(JSON.parse(approved!.body)).toMatchObject({ event: 'approval.approved', receipt: { id: expect.any(String) } });
  expect(approved!.headers['x-svc-delivery']).not.toBe(requested!.headers['x-svc-delivery']);

  await receiver.close();
});

test('a failed delivery is retried with the same delivery id and the next attempt number', async () => {
  const [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
  receiver.answerWith(() => ({ status: receiver.received.length === 1 ? 500 : 204 }));
  await aPolicy(tenant, { integrationNames: ['datetime'], approvers: [{ type: 'webhook', webhookUrl: receiver.url }] });
  const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  });
  const [first, second] = await receiver.has(2);
  expect(second!.headers['x-svc-delivery']).toBe(first!.headers['x-svc-delivery']);
  expect([first!.headers['x-svc-attempt'], second!.headers['x-svc-attempt']]).toEqual(['1', '2']);
  expect(second!.body).toBe(first!.body);
  expect((await tenant.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval.webhookDeliveries).toMatchObject([
    { eventType: 'approval.requested', callbackUrl: receiver.url },
  ]);
  await receiver.close();
});

test('the body of a webhook has exactly the fields of the contract', async () => {
  const [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
  const approvers = [{ type: 'webhook', webhookUrl: receiver.url }];
  const policy = await aPolicy(tenant, { integrationNames: ['datetime'], sources: ['rest', 'mcp_code'], approvers });
  const server = await aServer(tenant, 'CODE', ['datetime']);
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId };
  const { approval } = await tenant.api
    .must(202)
    .post('/api/v1/actions/execute', { ...call, input: { dateString: '2026-01-01' }, idempotencyKey: 'mine' });
  await receiver.has(1);
  const { receipt } = await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  const { structuredContent } = await tenant.api
    .must(200)
    .post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: "return svc.datetime.parse_date({ dateString: '2026-01-02' })" });
  const [requested, approved, ofRun] = (await receiver.has(3)).map(({ body }) => JSON.parse(body));

  const api = `${tenant.apiUrl}/api/v1/approvals/${approval.id}`;
  const { pathname } = new URL(api);
  const url = (end: string) => expect.stringMatching(new RegExp(`^http.*${pathname}${end}$`));
  const about = {
    id: approval.id,
    status: 'pending',
    workspaceId: tenant.workspaceId,
    source: 'rest',
    integrationName: 'datetime',
    integrationAlias: 'datetime',
    actionName: 'parse_date',
    inputPreview: { dateString: '2026-01-01', timezone: 'UTC' },
    redactedPaths: [],
    riskReasons: expect.arrayContaining([expect.any(String)]),
    approvalUrl: approval.approvalUrl,
    hostedApprovalUrl: approval.hostedApprovalUrl,
    api: { detailUrl: url(''), approveUrl: url('/approve'), rejectUrl: url('/reject'), cancelUrl: url('/cancel') },
    idempotencyKey: 'mine',
    expiresAt: approval.expiresAt,
  };
  const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(requested).toStrictEqual({ event: 'approval.requested', createdAt, approval: about, receipt: null });
  expect(approved).toStrictEqual({ event: 'approval.approved', createdAt, approval: { ...about, status: 'approved' }, receipt });
  expect(requested.createdAt < approved.createdAt).toBe(true);
  expect(ofRun.approval.codeRun).toStrictEqual({
    type: 'mcp_code_batch_run',
    codeRunId: expect.stringMatching(/^crun_/),
    codeHash: expect.any(String),
    toolSurfaceHash: expect.any(String),
    approvalGroups: [{ approvalPolicyId: policy.id, approvalPolicyName: 'Ask first', tools: expect.any(Array) }],
    analysisConfidence: 'exact',
    dynamicSignals: [],
    continuation: { tool: 'svc_execute', arguments: { approvalId: structuredContent.approval.id } },
  });
  await receiver.close();
});

function assertSigned({ headers, body }: Received, secret: string): void {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = headers['x-svc-timestamp'];
  const hmac = (text: string, encoding: 'hex' | 'base64') => createHmac('sha256', key).update(text).digest(encoding);
  expect(headers['x-svc-signature']).toBe(`t=${timestamp},v1=${hmac(`${timestamp}.${body}`, 'hex')}`);
  expect(headers['webhook-signature']).toBe(`v1,${hmac(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`, 'base64')}`);
}
