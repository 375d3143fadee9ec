import { aWorkspace, checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';

const POLICIES = '/api/v1/approval-policies';
const EXECUTE = '/api/v1/actions/execute';
const REFUSED = { status: 403, body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' } };

async function aGatedTenant() {
  const tenant = await checkedTenant();
  const { workspaceId } = tenant;
  await tenant.api.must(200).post(POLICIES, { name: 'Wide', actionNames: ['hash'], decision: 'block' });
  const { policy: own } = await tenant.api.must(200).post(POLICIES, {
    name: 'Own',
    workspaceId,
    actionNames: ['encode'],
    approvers: [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/a' }],
  });
  const call = (actionName: string) => ({
    workspaceId,
    integrationName: 'hash-encode',
    actionName,
    input: { text: 'x', encoding: 'base64' },
  });
  return { tenant, own, local: await withWorkspaceKey(tenant), hash: call('hash'), encode: call('encode') };
}

test('a workspace key that may not decide cannot create, change or delete policies or rotate secrets', async () => {
  const { tenant, own, local, hash, encode } = await aGatedTenant();
  const { workspaceId } = tenant;
  expect((await local.post(EXECUTE, hash)).body.code).toBe('APPROVAL_POLICY_BLOCKED');
  const opener = { name: 'Open', workspaceId, priority: 0, decision: 'auto_approve' };
  const path = `${POLICIES}/${own.id}`;
  const tries = [
    await local.post(POLICIES, opener),
    await local.post(POLICIES, { ...opener, decision: 'notify_only' }),
    await local.post(POLICIES, { ...opener, enabled: false }),
    await local.post(POLICIES, { ...opener, decision: 'require_approval', approvers: [] }),
    await local.patch(path, { decision: 'auto_approve' }),
    await local.patch(path, { enabled: false }),
    await local.patch(path, { priority: 10_000 }),
    await local.patch(path, { actionNames: ['nothing'] }),
    await local.patch(path, { sources: ['playground'] }),
    await local.patch(path, { approvers: [{ type: 'webhook', webhookUrl: 'https://attacker.example.com' }] }),
    await local.patch(path, { approvalAccessMode: 'hosted_link_only' }),
    await local.patch(path, { reuseWindowSeconds: 604_800 }),
    await local.patch(path, { name: 'The same' }),
    await local.post(`${path}/webhook-secrets/rotate`),
    await local.delete(path),
  ];
  for (const answer of tries) expect(answer).toMatchObject(REFUSED);
  expect((await tenant.api.must(200).get(`${POLICIES}/${own.id}`)).policy).toEqual(withoutSecrets(own));
  expect((await tenant.api.must(200).get(POLICIES)).total).toBe(2);
  expect((await local.post(EXECUTE, hash)).body.code).toBe('APPROVAL_POLICY_BLOCKED');
  expect((await local.post(EXECUTE, encode)).status).toBe(202);
});

// biome-ignore lint/suspicious/noExplicitAny: a policy as answered
function withoutSecrets(policy: any) {
  return { ...policy, approvers: policy.approvers.map(({ secret: _, ...approver }: { secret?: string }) => approver) };
}

test.each([
  ['decide: false', { decide: false }],
  ['{}', {}],
])('a key with the approval permissions %s may not decide', async (_, approvals) => {
  const tenant = await checkedTenant();
  const local = await withWorkspaceKey(tenant, undefined, approvals);
  expect(await local.post(POLICIES, { name: 'x', workspaceId: tenant.workspaceId })).toMatchObject(REFUSED);
});

test('an org-wide key, and a workspace key that may decide, can write policies of a workspace', async () => {
  const { tenant, own } = await aGatedTenant();
  const { workspaceId } = tenant;
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  const deciding = await withWorkspaceKey(tenant, undefined, { decide: true });
  for (const key of [deciding, await withKey(tenant, {})]) {
    const { policy } = await key.must(200).post(POLICIES, { name: 'x', workspaceId });
    await key.must(200).patch(`${POLICIES}/${policy.id}`, { enabled: false });
    await key.must(200).post(`${POLICIES}/${own.id}/webhook-secrets/rotate`);
    await key.must(200).delete(`${POLICIES}/${policy.id}`);
  }
  const denied = { status: 403, body: { code: 'SCOPE_DENIED' } };
  expect(await deciding.post(POLICIES, { name: 'x', workspaceId: elsewhere })).toMatchObject(denied);
  expect(await deciding.post(POLICIES, { name: 'x' })).toMatchObject(denied);
});

test('checks run in this order: body, existence of the record, scope, permission', async () => {
  const { tenant, own, local } = await aGatedTenant();
  const nothing = '00000000-0000-4000-8000-000000000000';
  const { workspaceId } = tenant;
  const [bad, missing, far] = ['400 VALIDATION_ERROR', '404 NOT_FOUND', '403 SCOPE_DENIED'];
  const codes = async (answer: Promise<{ status: number; body: { code: string } }>) => {
    const { status, body } = await answer;
    return `${status} ${body.code}`;
  };
  expect(await codes(local.post(POLICIES, { workspaceId, priority: -1 }))).toBe(bad);
  expect(await codes(local.post(POLICIES, { name: 'x', workspaceId: nothing }))).toBe(missing);
  expect(await codes(local.post(POLICIES, { name: 'x', workspaceId, mcpServerIds: [nothing] }))).toBe(missing);
  expect(await codes(local.post(POLICIES, { name: 'x' }))).toBe(far);
  expect(await codes(local.patch(`${POLICIES}/${own.id}`, {}))).toBe(bad);
  expect(await codes(local.patch(`${POLICIES}/${own.id}`, { workspaceId: null }))).toBe(far);
  expect(await codes(local.patch(`${POLICIES}/${nothing}`, { enabled: false }))).toBe('404 APPROVAL_POLICY_NOT_FOUND');
  expect(await codes(local.delete(`${POLICIES}/${nothing}`))).toBe('404 APPROVAL_POLICY_NOT_FOUND');
});

test('a workspace key that may not decide can still read and test policies', async () => {
  const { tenant, own, local } = await aGatedTenant();
  expect((await local.must(200).get(POLICIES)).total).toBe(2);
  await local.must(200).get(`${POLICIES}/${own.id}`);
  const context = { workspaceId: tenant.workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' };
  await local.must(200).post(`${POLICIES}/test`, { policy: {}, context });
});

test('a workspace key that may not decide cannot delete a workspace that has a policy or a pending approval', async () => {
  const { tenant, own, local, encode } = await aGatedTenant();
  const path = `/api/v1/workspaces/${tenant.workspaceId}`;
  expect(await local.delete(path)).toMatchObject(REFUSED);
  expect(await local.delete(path.replace(tenant.workspaceId, tenant.workspaceId.toUpperCase()))).toMatchObject(REFUSED);
  const { approval } = await local.must(202).post(EXECUTE, encode);
  await tenant.api.must(200).delete(`${POLICIES}/${own.id}`);
  expect(await local.delete(path)).toMatchObject(REFUSED);
  expect((await tenant.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval.status).toBe('pending');
  await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/reject`, {});
  expect(await local.must(200).delete(path)).toMatchObject({ deleted: true });
});

test('an org-wide key or a key that may decide can delete a workspace with policies; any key of a workspace without policies can delete it', async () => {
  for (const key of ['deciding', 'wide', 'local']) {
    const { tenant, own } = await aGatedTenant();
    if (key === 'local') await tenant.api.must(200).delete(`${POLICIES}/${own.id}`);
    const deciding = () => withWorkspaceKey(tenant, undefined, { decide: true });
    const caller = key === 'wide' ? tenant.api : key === 'local' ? await withWorkspaceKey(tenant) : await deciding();
    await caller.must(200).delete(`/api/v1/workspaces/${tenant.workspaceId}`);
  }
});
