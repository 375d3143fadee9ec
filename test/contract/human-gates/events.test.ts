import { createHmac } from 'node:crypto';
import { callerOf } from '../../support/caller.ts';
import { aReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../../support/tenant.ts';
import { type Body, EXECUTE } from './gates-bed.ts';

let receiver: Receiver;
let tenant: Tenant;
let secret: string;
let policyId: string;
beforeAll(async () => {
  [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
  const approvers = [{ type: 'webhook', webhookUrl: `${receiver.url}/hook` }];
  const policy = await aPolicy(tenant, { approvers, sources: ['rest', 'mcp_code'] });
  policyId = policy.id;
  secret = (policy.approvers as { secret: string }[])[0]!.secret;
});
afterAll(() => receiver?.close());

let count = 0;
const ask = async (text = `call ${++count}`): Promise<Body> => {
  const call = { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } };
  return { call, ...(await tenant.api.must(202).post(EXECUTE, call)).approval };
};
const decide = (id: string, decision: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/${decision}`);
const deliveriesOf = async (id: string, wanted: number): Promise<(Received & { event: Body })[]> => {
  for (;;) {
    const known = receiver.received.length;
    const found = receiver.received.filter(({ headers }) => headers['x-svc-approval'] === id);
    if (found.length >= wanted) return found.map((delivery) => ({ ...delivery, event: JSON.parse(delivery.body) }));
    await receiver.has(known + 1);
  }
};
const hmac = (text: string, key = secret) =>
  createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'))
    .update(text)
    .digest('hex');

describe('6 Events: when each is sent, to webhook approvers', () => {
  test('a new approval request emits approval.requested', async () => {
    const { id } = await ask();
    const [{ event, method, path }] = (await deliveriesOf(id, 1)) as [Body];
    expect([event.event, event.approval.status, method, path]).toEqual(['approval.requested', 'pending', 'POST', '/hook']);
  });

  test.each([
    ['approve', 'approval.approved', 'approved'],
    ['reject', 'approval.rejected', 'rejected'],
    ['cancel', 'approval.canceled', 'canceled'],
  ])('%s emits %s', async (decision, name, status) => {
    const { id } = await ask();
    await decide(id, decision);
    const [, settled] = await deliveriesOf(id, 2);
    expect([settled!.event.event, settled!.event.approval.status]).toEqual([name, status]);
  });

  // approval.expired is tested in transitions.test.ts and test/stories/timeouts.test.ts.
});

describe('6 Payload', () => {
  test('has every specified field; receipt is null while the approval is pending', async () => {
    const { id } = await ask();
    const [{ event }] = (await deliveriesOf(id, 1)) as [Body];
    expect(Object.keys(event).sort()).toEqual(['approval', 'createdAt', 'event', 'receipt']);
    expect(event.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const fields = 'actionName api approvalUrl expiresAt hostedApprovalUrl id idempotencyKey inputPreview integrationAlias integrationName';
    expect(Object.keys(event.approval).sort()).toEqual(`${fields} redactedPaths riskReasons source status workspaceId`.split(' '));
    expect(event.receipt).toBeNull();
  });

  test('approval.api holds detailUrl, approveUrl, rejectUrl and cancelUrl', async () => {
    const { id } = await ask();
    const [{ event }] = (await deliveriesOf(id, 1)) as [Body];
    const base = `${tenant.apiUrl}/api/v1/approvals/${id}`;
    expect(event.approval.api).toEqual({
      detailUrl: base,
      approveUrl: `${base}/approve`,
      rejectUrl: `${base}/reject`,
      cancelUrl: `${base}/cancel`,
    });
  });

  test('only a key with approvals.decide can decide through approval.api.rejectUrl', async () => {
    const { id } = await ask();
    const [{ event }] = (await deliveriesOf(id, 1)) as [Body];
    const { plainKey } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'Without' });
    const path = new URL(event.approval.api.rejectUrl).pathname;
    expect((await callerOf(tenant.apiUrl, plainKey).post(path)).status).toBe(403);
    expect((await tenant.api.post(path)).body.approval.status).toBe('rejected');
  });

  test('approvalUrl and hostedApprovalUrl hold bearer links for webhook approvers', async () => {
    const { id, hostedApprovalUrl } = await ask();
    const [{ event }] = (await deliveriesOf(id, 1)) as [Body];
    expect([event.approval.approvalUrl, event.approval.hostedApprovalUrl]).toEqual([hostedApprovalUrl, hostedApprovalUrl]);
  });

  test('approval.approved contains the receipt', async () => {
    const { id } = await ask();
    const { receipt } = await decide(id, 'approve');
    const [, settled] = await deliveriesOf(id, 2);
    expect(settled!.event.receipt).toMatchObject(receipt);
  });

  test('contains only the redacted preview, never the raw action input', async () => {
    const { id } = await ask('password=zq4711x and more');
    const [{ event, body }] = (await deliveriesOf(id, 1)) as [Body];
    expect(event.approval).toMatchObject({ inputPreview: { text: 'password=[redacted] and more' }, redactedPaths: ['text'] });
    expect(body).not.toContain('zq4711x');
  });

  test('codeRun has every specified field for Code Mode batch runs, and is absent for other calls', async () => {
    const server = await aServer(tenant, 'CODE', ['hash-encode']);
    const code = "return svc.hash_encode.hash({ text: 'in code' })";
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code });
    const [{ event }] = (await deliveriesOf(structuredContent.approval.id, 1)) as [Body];
    expect(event.approval.source).toBe('mcp_code');
    expect(event.approval.codeRun).toEqual({
      type: 'mcp_code_batch_run',
      codeRunId: expect.stringMatching(/^crun_/),
      codeHash: expect.any(String),
      toolSurfaceHash: expect.any(String),
      approvalGroups: [{ approvalPolicyId: policyId, approvalPolicyName: 'Ask first', tools: ['hash-encode.hash'] }],
      analysisConfidence: 'exact',
      dynamicSignals: expect.any(Array),
      continuation: { tool: expect.any(String), arguments: { approvalId: structuredContent.approval.id } },
    });
    expect(((await deliveriesOf((await ask()).id, 1)) as [Body])[0].event.approval).not.toHaveProperty('codeRun');
  });
});

describe('6 Delivery headers and signature', () => {
  test('the six X-Svc headers have the specified values', async () => {
    const { id } = await ask();
    const [{ headers, event }] = (await deliveriesOf(id, 1)) as [Body];
    expect(headers).toMatchObject({
      'x-svc-event': event.event,
      'x-svc-delivery': expect.any(String),
      'x-svc-attempt': '1',
      'x-svc-approval': id,
      'x-svc-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-svc-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    expect(Math.abs(Number(headers['x-svc-timestamp']) - Date.now() / 1000)).toBeLessThan(300);
  });

  test('the signature is the HMAC of <timestamp>.<raw JSON body>', async () => {
    const { id } = await ask();
    const [{ headers, body }] = (await deliveriesOf(id, 1)) as [Body];
    const timestamp = headers['x-svc-timestamp'];
    expect(headers['x-svc-signature']).toBe(`t=${timestamp},v1=${hmac(`${timestamp}.${body}`)}`);
    expect(headers['x-svc-signature']).not.toContain(hmac(`${timestamp}.${body} `));
  });

  test('a delivery also has the three Standard Webhooks headers', async () => {
    const { id } = await ask();
    const [{ headers }] = (await deliveriesOf(id, 1)) as [Body];
    expect(headers).toMatchObject({ 'webhook-id': headers['x-svc-delivery'], 'webhook-signature': expect.stringMatching(/^v1,/) });
    expect(headers['webhook-timestamp']).toBe(headers['x-svc-timestamp']);
  });

  test('X-Svc-Delivery differs between two events of an approval', async () => {
    const { id } = await ask();
    await decide(id, 'cancel');
    const ids = (await deliveriesOf(id, 2)).map(({ headers }) => headers['x-svc-delivery']);
    expect(new Set(ids).size).toBe(2);
  });

  test('after a secret rotation, both secrets sign', async () => {
    const rotating = await aReceiver();
    const approvers = [{ type: 'webhook', webhookUrl: rotating.url }];
    const policy = await aPolicy(tenant, { approvers, priority: 1, actionNames: ['generate_uuid'] });
    const first = (policy.approvers as { secret: string }[])[0]!.secret;
    const { secret: second } = await tenant.api.must(200).post(`/api/v1/approval-policies/${policy.id}/webhook-secrets/rotate`);
    await tenant.api
      .must(202)
      .post(EXECUTE, { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'generate_uuid' });
    const [{ headers, body }] = (await rotating.has(1)) as [Body];
    const signed = `${headers['x-svc-timestamp']}.${body}`;
    const signatures = headers['x-svc-signature'].split(',').slice(1);
    expect(signatures.sort()).toEqual([`v1=${hmac(signed, first)}`, `v1=${hmac(signed, second)}`].sort());
    await rotating.close();
  });

  test('a redirect counts as a failed attempt and is retried under the same delivery id', async () => {
    const moved = await aReceiver();
    moved.answerWith(({ path }) => ({ status: path === '/hook' && moved.received.length === 1 ? 302 : 200 }));
    const approvers = [{ type: 'webhook', webhookUrl: `${moved.url}/hook` }];
    await aPolicy(tenant, { approvers, priority: 0, actionNames: ['is_business_hours'] });
    await tenant.api
      .must(202)
      .post(EXECUTE, { workspaceId: tenant.workspaceId, integrationName: 'datetime', actionName: 'is_business_hours' });
    const [first, second] = await moved.has(2);
    expect(second!.headers['x-svc-delivery']).toBe(first!.headers['x-svc-delivery']);
    expect([first!.headers['x-svc-attempt'], second!.headers['x-svc-attempt'], second!.path]).toEqual(['1', '2', '/hook']);
    await moved.close();
  });
});
