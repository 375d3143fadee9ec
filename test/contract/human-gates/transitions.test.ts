import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import { checkedCaller } from '../../api/checked-caller.ts';
import { APPROVALS, type Body, type Gates, openGatesBed, POLICIES } from './gates-bed.ts';

let bed: Awaited<ReturnType<typeof openGatesBed>>;
let gates: Gates;
beforeAll(async () => {
  bed = await openGatesBed();
});
afterAll(() => bed?.close());
beforeEach(async () => {
  gates = await bed.enter();
});

/** With a webhook approver, every event creates a delivery. */
const approvers = [{ type: 'webhook', webhookUrl: 'http://127.0.0.1:9/hook' }];
const eventsOf = async (id: string) => (await gates.approval(id)).webhookDeliveries.map(({ eventType }: Body) => eventType);
const withKey = async (permissions: object) => {
  const { plainKey } = await gates.api.must(200).post('/api/v1/api-keys', { name: 'Key', permissions });
  return checkedCaller(gates.bed.apiUrl, plainKey);
};

describe('3.1 (none) → pending', () => {
  test('a policy that requires approval creates a pending request and sends approval.requested', async () => {
    await gates.policy({ approvers });
    const { id, status } = await gates.gated();
    expect(status).toBe('pending');
    expect(await eventsOf(id)).toEqual(['approval.requested']);
  });

  test('a policy with another decision creates no pending request', async () => {
    for (const decision of ['block', 'notify_only', 'auto_approve']) {
      const { id } = await gates.policy({ decision });
      await gates.call();
      await gates.api.must(200).delete(`${POLICIES}/${id}`);
    }
    expect((await gates.api.must(200).get(`${APPROVALS}?status=pending`)).total).toBe(0);
  });
});

describe('3.1 pending → approved', () => {
  test('POST approve sets the status, creates a receipt for the exact retry and sends approval.approved', async () => {
    await gates.policy({ approvers });
    const { id, retry } = await gates.gated();
    const { status, body } = await gates.decide(id, 'approve');
    expect([status, body.approval.status]).toEqual([200, 'approved']);
    expect(body.receipt).toEqual({ id: expect.any(String), expiresAt: expect.any(String) });
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.approved']);
    expect(await gates.outcome({ input: { text: 'another' } })).toBe(202);
    expect(await gates.outcome(retry)).toBe(200);
  });
});

describe('3.1 pending → rejected', () => {
  test('POST reject sets the status and sends approval.rejected, and a retry creates a new request', async () => {
    const policy = await gates.policy({ approvers });
    const { id } = await gates.gated();
    expect((await gates.decide(id, 'reject')).body).toMatchObject({ approval: { status: 'rejected' }, receipt: null });
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.rejected']);
    expect((await gates.gated()).id).not.toBe(id);
    await gates.api.must(200).delete(`${POLICIES}/${policy.id}`);
    expect(await gates.outcome()).toBe(200);
  });
});

describe('3.1 pending → canceled', () => {
  test('POST cancel sets the status and sends approval.canceled, and the call stays unapproved', async () => {
    await gates.policy({ approvers });
    const { id, retry } = await gates.gated();
    expect((await gates.decide(id, 'cancel')).body).toMatchObject({ approval: { status: 'canceled' }, receipt: null });
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.canceled']);
    expect(await gates.outcome(retry)).not.toBe(200);
  });
});

describe('3.1 Condition for every decision', () => {
  test.each(['approve', 'reject', 'cancel'] as const)('%s requires a key that may decide in the scope of the request', async (decision) => {
    await gates.policy();
    const { id } = await gates.gated();
    const elsewhere = (await gates.api.must(201).post('/api/v1/workspaces', { name: 'far', slug: 'far' })).workspace.id;
    const approvals = { decide: true };
    const without = await withKey({});
    const far = await withKey({ scope: 'workspace', workspaceIds: [elsewhere], approvals });
    const near = await withKey({ scope: 'workspace', workspaceIds: [gates.workspaceId], approvals });
    const path = `${APPROVALS}/${id}/${decision}`;
    expect(await without.post(path)).toMatchObject({ status: 403, body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' } });
    expect(await far.post(path)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
    expect((await near.post(path)).status).toBe(200);
  });

  test('a decided request answers APPROVAL_ALREADY_DECIDED with its status', async () => {
    await gates.policy();
    const { id } = await gates.gated();
    await gates.decide(id, 'reject');
    for (const decision of ['approve', 'reject', 'cancel'] as const)
      expect(await gates.decide(id, decision)).toMatchObject({
        status: 409,
        body: { code: 'APPROVAL_ALREADY_DECIDED', details: { status: 'rejected' } },
      });
  });
});

describe('3.1 pending → expired', () => {
  test.each([
    ['expire', 'expired'],
    ['reject', 'rejected'],
  ])('defaultOnTimeout %s: the status becomes %s, decided by timeout, and approval.expired is sent', async (defaultOnTimeout, status) => {
    await gates.policy({ approvers, defaultOnTimeout });
    const { id } = await gates.gated();
    expect(await timeOutApproval(gates.bed.gateway, id)).toBeUndefined();
    await gates.letTimePass(id);
    await timeOutApproval(gates.bed.gateway, id);
    expect(await gates.approval(id)).toMatchObject({ status, decidedByType: 'timeout', decidedById: null });
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.expired']);
  });

  test.each(['reject', 'expire'])('defaultOnTimeout %s: a decision after the deadline answers 409 APPROVAL_EXPIRED', async (outcome) => {
    await gates.policy({ defaultOnTimeout: outcome });
    const { id } = await gates.gated();
    await gates.letTimePass(id);
    expect(await gates.decide(id, 'approve')).toMatchObject({ status: 409, body: { code: 'APPROVAL_EXPIRED' } });
    await timeOutApproval(gates.bed.gateway, id);
    expect(await gates.decide(id, 'approve')).toMatchObject({ status: 409, body: { code: 'APPROVAL_EXPIRED' } });
  });
});

describe('3.1 approved → consumed (contract decisions 3, Retry)', () => {
  test('pending: the same call gets the same approval', async () => {
    await gates.policy();
    const { id } = await gates.gated();
    expect((await gates.gated()).id).toBe(id);
    expect((await gates.api.must(200).get(APPROVALS)).total).toBe(1);
  });

  test('approved: the same call runs, and the approval becomes consumed', async () => {
    await gates.policy();
    const { id, retry } = await gates.gated();
    await gates.decide(id, 'approve');
    const { status, body } = await gates.call(retry);
    expect([status, body.success]).toEqual([200, true]);
    expect(await gates.approval(id)).toMatchObject({ status: 'consumed', consumedAt: expect.any(String) });
  });

  test('consumed: only a repeat with the same idempotencyKey gets the stored outcome', async () => {
    await gates.policy({ actionNames: ['generate_uuid'] });
    const uuid = { actionName: 'generate_uuid', input: {} };
    const { id, retry } = await gates.gated(uuid);
    await gates.decide(id, 'approve');
    const first = await gates.call({ ...uuid, ...retry });
    expect((await gates.call({ ...uuid, ...retry })).body.output).toEqual(first.body.output);
    expect((await gates.gated(uuid)).id).not.toBe(id);
  });

  test.each([
    ['another input', { input: { text: 'y' } }],
    ['another end user', { endUserId: 'ada' }],
    ['another action', { actionName: 'generate_uuid', input: {} }],
  ])('an approval admits only the approved call: %s requires a new approval', async (_, other) => {
    await gates.api.must(201).post('/api/v1/end-users', { workspaceId: gates.workspaceId, externalId: 'ada' });
    await gates.policy();
    await gates.decide((await gates.gated()).id, 'approve');
    expect(await gates.outcome(other)).toBe(202);
    expect(await gates.outcome({}, { 'x-svc-source': 'sdk' })).toBe(202);
    expect(await gates.outcome()).toBe(200);
  });

  test('a receipt is valid for the policy’s timeoutSeconds after the decision', async () => {
    await gates.policy({ timeoutSeconds: 600 });
    const { id, retry } = await gates.gated();
    const { approval, receipt } = (await gates.decide(id, 'approve')).body;
    expect(Date.parse(receipt.expiresAt) - Date.parse(approval.decidedAt)).toBe(600_000);
    const { db } = gates.bed.gateway;
    await db('receipts')
      .where({ approval_id: id })
      .update({ expires_at: db.raw("now() - interval '1 second'") });
    expect(await gates.outcome(retry)).not.toBe(200);
  });

  test('if a policy that blocks is created later, an approved call is refused and its approval stays approved', async () => {
    const policy = await gates.policy();
    const { id, retry } = await gates.gated();
    await gates.api.must(200).patch(`${POLICIES}/${policy.id}`, { timeoutSeconds: 60 });
    await gates.decide(id, 'approve');
    await gates.policy({ decision: 'block', priority: 0 });
    expect(await gates.call(retry)).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
    expect((await gates.approval(id)).status).toBe('approved');
  });

  test.each(['reject', 'cancel'] as const)('a reuse window never reuses a decision to %s', async (decision) => {
    await gates.policy({ reuseWindowSeconds: 600 });
    const { id } = await gates.gated();
    await gates.decide(id, decision);
    expect(await gates.outcome()).toBe(202);
  });

  test.each(['notify_only', 'auto_approve'])(
    '%s: the action runs immediately, with a consumed approval that names the policy as decider',
    async (decision) => {
      await gates.policy({ decision, approvers });
      expect(await gates.outcome()).toBe(200);
      const { approvals } = await gates.api.must(200).get(APPROVALS);
      expect(approvals).toMatchObject([{ status: 'consumed', decidedByType: 'policy' }]);
      const { webhookDeliveries = [] } = await gates.approval(approvals[0].id);
      expect(webhookDeliveries.map(({ eventType }: Body) => eventType)).toEqual(decision === 'notify_only' ? ['approval.requested'] : []);
    },
  );

  test('block: the call is refused with APPROVAL_POLICY_BLOCKED and logged, without an approval request', async () => {
    await gates.policy({ decision: 'block' });
    expect(await gates.call()).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
    expect((await gates.api.must(200).get('/api/v1/activity?type=call.blocked')).activity).toHaveLength(1);
    expect((await gates.api.must(200).get(APPROVALS)).total).toBe(0);
  });
});
