import { type ApiBed, openApiBed } from '../api-bed.ts';

const POLICIES = '/api/v1/approval-policies';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

let workspaces = 0;
async function aGatedWorkspace(fields: object = {}) {
  const slug = `gated-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const workspaceId: string = workspace.id;
  const aPolicy = async (more: object) =>
    (await bed.api.must(200).post(POLICIES, { name: 'Ask first', workspaceId, ...more })).policy as { id: string };
  const policy = await aPolicy(fields);
  const call = (more: object = {}) =>
    bed.api.post('/api/v1/actions/execute', {
      ...{ workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' } },
      ...more,
    });
  const change = (changes: object) => bed.api.must(200).patch(`${POLICIES}/${policy.id}`, changes);
  return { workspaceId, policy, aPolicy, call, change };
}

const decide = (id: string, decision = 'approve') => bed.api.must(200).post(`/api/v1/approvals/${id}/${decision}`);
const kept = (id: string) =>
  bed.patient('approvals').where({ id }).first('status', 'policy_version as policyVersion', 'policy_name as policyName');

describe('an edit of a policy', () => {
  test('keeps a pending approval bound to the version that created it', async () => {
    const it = await aGatedWorkspace({ timeoutSeconds: 60, approvalAccessMode: 'dashboard_only' });
    const { approval } = (await it.call()).body;
    await it.change({
      name: 'Another',
      timeoutSeconds: 7200,
      approvalAccessMode: 'hosted_link_only',
      rules: { actionCategories: ['read'] },
    });
    expect((await it.call()).body.approval).toMatchObject({
      id: approval.id,
      expiresAt: approval.expiresAt,
      approvalAccessMode: 'dashboard_only',
    });
    expect(await kept(approval.id)).toMatchObject({ policyVersion: 1, policyName: 'Ask first', status: 'pending' });
  });

  test('an edited policy does not revoke an earlier approval: the retry consumes it', async () => {
    const it = await aGatedWorkspace();
    const { approval } = (await it.call()).body;
    await decide(approval.id);
    await it.change({ description: 'edited' });
    expect((await it.call(approval.retry)).status).toBe(200);
    expect(await kept(approval.id)).toMatchObject({ status: 'consumed', policyVersion: 1 });
    const next = (await it.call()).body.approval;
    expect(await kept(next.id)).toMatchObject({ status: 'pending', policyVersion: 2 });
  });

  test('a policy that is changed to block, or a new blocking policy, overrides earlier approvals', async () => {
    const it = await aGatedWorkspace();
    const { approval } = (await it.call()).body;
    await decide(approval.id);
    const blocks = { status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED', details: { policyId: it.policy.id } } };
    await it.change({ decision: 'block' });
    expect(await it.call(approval.retry)).toMatchObject(blocks);
    await it.change({ decision: 'require_approval' });
    const policy = await it.aPolicy({ name: 'Never', decision: 'block', priority: 1 });
    expect(await it.call(approval.retry)).toMatchObject({ status: 403, body: { details: { policyId: policy.id } } });
    expect((await kept(approval.id)).status).toBe('approved');
    await bed.api.must(200).delete(`${POLICIES}/${policy.id}`);
    expect((await it.call(approval.retry)).status).toBe(200);
  });

  test('after a policy is disabled or deleted, the next call runs', async () => {
    const it = await aGatedWorkspace();
    expect((await it.call()).status).toBe(202);
    await it.change({ enabled: false });
    expect((await it.call()).status).toBe(200);
    await it.change({ enabled: true });
    expect((await it.call()).status).toBe(202);
    await bed.api.must(200).delete(`${POLICIES}/${it.policy.id}`);
    expect((await it.call()).status).toBe(200);
  });
});

describe('a reuse window', () => {
  const WINDOW = { reuseWindowSeconds: 600 };
  async function anApproved(fields: object = WINDOW, call: object = {}) {
    const it = await aGatedWorkspace(fields);
    const { approval } = (await it.call(call)).body;
    await decide(approval.id);
    return { ...it, approvalId: approval.id as string };
  }

  test('admits the same call again after the approval is consumed', async () => {
    const it = await anApproved();
    expect([(await it.call()).status, (await it.call()).status, (await it.call()).status]).toEqual([200, 200, 200]);
    expect((await bed.api.must(200).get(`/api/v1/approvals?workspaceId=${it.workspaceId}`)).total).toBe(1);
  });

  test.each<[string, object]>([
    ['with another input', { input: { text: 'y' } }],
    ['for another end user', { endUserId: 'bob' }],
    ['without an end user', { endUserId: undefined }],
  ])('does not admit a call %s', async (_, other) => {
    const it = await anApproved(WINDOW, { endUserId: 'ann' });
    expect((await it.call({ endUserId: 'ann' })).status).toBe(200);
    expect((await it.call({ endUserId: 'ann' })).status).toBe(200);
    expect((await it.call({ endUserId: 'ann', ...other })).status).toBe(202);
  });

  test('a reuse window does not admit calls under another policy version', async () => {
    const it = await anApproved();
    expect((await it.call()).status).toBe(200);
    await it.change({ description: 'edited' });
    expect((await it.call()).status).toBe(202);
  });

  test.each([0, null])('a reuse window of %p admits no second call', async (reuseWindowSeconds) => {
    const it = await anApproved({ reuseWindowSeconds });
    expect([(await it.call()).status, (await it.call()).status]).toEqual([200, 202]);
  });

  test.each(['reject', 'cancel'])('the decision %s is not reused', async (decision) => {
    const it = await aGatedWorkspace(WINDOW);
    const { approval } = (await it.call()).body;
    await decide(approval.id, decision);
    expect((await it.call()).status).toBe(202);
  });

  test('an automatic decision of a policy is not reused', async () => {
    const it = await aGatedWorkspace({ ...WINDOW, decision: 'auto_approve' });
    expect((await it.call()).status).toBe(200);
    await it.change({ decision: 'require_approval' });
    expect((await it.call()).status).toBe(202);
  });

  test('a reuse window does not override a block', async () => {
    const it = await anApproved();
    await it.aPolicy({ name: 'Never', decision: 'block' });
    expect(await it.call()).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
  });
});
