import { checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';

const POLICIES = '/api/v1/approval-policies';
const hook = (path: string) => ({ type: 'webhook', webhookUrl: `https://hooks.example.com/${path}` });
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

async function aPolicy(fields: object = {}) {
  const tenant = await checkedTenant();
  const { policy } = await tenant.api.must(200).post(POLICIES, { name: 'Ask first', enabled: false, ...fields });
  return { tenant, policy, path: `${POLICIES}/${policy.id}/webhook-secrets/rotate` };
}

test('rotating needs no body, and returns a different new secret each time', async () => {
  const { tenant, policy, path } = await aPolicy({ approvers: [hook('a')] });
  const [first, second] = [await tenant.api.must(200).post(path), await tenant.api.must(200).post(path)];
  expect(first).toEqual({ secret: expect.stringMatching(SECRET) });
  expect(new Set([first.secret, second.secret, policy.approvers[0].secret]).size).toBe(3);
  expect(JSON.stringify(await tenant.api.must(200).get(`${POLICIES}/${policy.id}`))).not.toContain('whsec_');
});

test('a body with content is refused and rotates nothing, because the url belongs in the query', async () => {
  const { tenant, path } = await aPolicy({ approvers: [hook('a')] });
  for (const body of [{ url: hook('a').webhookUrl }, { x: 1 }, [], '"x"'])
    expect(await tenant.api.post(path, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  const rotated = async () => (await tenant.api.must(200).get('/api/v1/activity?type=webhook_secret.rotated')).activity.length;
  expect(await rotated()).toBe(0);
  await tenant.api.must(200).post(path, {});
  expect(await rotated()).toBe(1);
});

test('url selects one of several webhooks; without url, the error lists the webhooks', async () => {
  const { tenant, path } = await aPolicy({ approvers: [hook('a'), hook('b')] });
  const unnamed = await tenant.api.post(path);
  expect(unnamed).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'url' }] } } });
  for (const { webhookUrl } of [hook('a'), hook('b')]) expect(unnamed.body.details.issues[0].message).toContain(webhookUrl);
  expect((await tenant.api.must(200).post(`${path}?url=${encodeURIComponent(hook('b').webhookUrl)}`)).secret).toMatch(SECRET);
  expect(await tenant.api.post(`${path}?url=${encodeURIComponent(hook('c').webhookUrl)}`)).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect((await tenant.api.post(`${path}?url=`)).status).toBe(400);
});

test('rotating is refused if the policy has no webhook or its webhook was removed', async () => {
  const { tenant, policy, path } = await aPolicy({ approvers: [{ type: 'org_role', roles: ['admin'] }] });
  expect(await tenant.api.post(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  await tenant.api.must(200).patch(`${POLICIES}/${policy.id}`, { approvers: [hook('a')] });
  await tenant.api.must(200).post(path);
  await tenant.api.must(200).patch(`${POLICIES}/${policy.id}`, { approvers: [] });
  expect((await tenant.api.post(path)).status).toBe(404);
});

test('rotating requires a key that may change the policy', async () => {
  const wide = await aPolicy({ approvers: [hook('a')] });
  expect(await (await withWorkspaceKey(wide.tenant, undefined, { decide: true })).post(wide.path)).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_DENIED' },
  });
  await (await withKey(wide.tenant, {})).must(200).post(wide.path);
  const workspaceId = wide.tenant.workspaceId;
  const { policy } = await wide.tenant.api
    .must(200)
    .post(POLICIES, { name: 'Narrow', enabled: false, workspaceId, approvers: [hook('a')] });
  const narrow = `${POLICIES}/${policy.id}/webhook-secrets/rotate`;
  expect(await (await withWorkspaceKey(wide.tenant)).post(narrow)).toMatchObject({
    status: 403,
    body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' },
  });
  await (await withWorkspaceKey(wide.tenant, undefined, { decide: true })).must(200).post(narrow);
});

test('a PATCH without approvers, or with the same webhook, creates no new secret', async () => {
  const { tenant, policy } = await aPolicy({ approvers: [hook('a')] });
  const { policy: changed } = await tenant.api.must(200).patch(`${POLICIES}/${policy.id}`, { name: 'Another name' });
  const { policy: same } = await tenant.api.must(200).patch(`${POLICIES}/${policy.id}`, { approvers: [hook('a')] });
  expect([changed.approvers, same.approvers]).toEqual([[hook('a')], [hook('a')]]);
});
