import { openApiBed } from '../api-bed.ts';
import { checkedTenant } from '../checked-caller.ts';

const POLICIES = '/api/v1/approval-policies';

test('a policy has the specified defaults', async () => {
  const { api, orgId } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'All' });
  expect(policy).toEqual({
    id: expect.any(String),
    orgId,
    workspaceId: null,
    version: 1,
    name: 'All',
    description: null,
    enabled: true,
    priority: 100,
    sources: ['rest', 'sdk', 'mcp_tools', 'mcp_code'],
    mcpServerIds: [],
    workspaceIntegrationIds: [],
    integrationNames: [],
    integrationAliases: [],
    actionNames: [],
    connectionStrategies: [],
    endUserMode: 'any',
    decision: 'require_approval',
    mode: 'enforce',
    riskMode: 'rules',
    rules: {},
    approvers: [],
    timeoutSeconds: 3600,
    defaultOnTimeout: 'reject',
    reuseWindowSeconds: null,
    approvalAccessMode: 'dashboard_and_hosted_link',
    metadata: null,
    warnings: [expect.stringContaining('Self-approvable')],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await api.must(200).get(`${POLICIES}/${policy.id}`)).toEqual({ policy });
  expect(await api.must(200).get(POLICIES)).toEqual({ policies: [policy], total: 1 });
});

test('every field is stored as sent', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId });
  const { integration } = await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store' });
  const fields = {
    workspaceId,
    name: 'Everything',
    description: 'd',
    enabled: false,
    priority: 0,
    sources: ['trigger', 'playground'],
    mcpServerIds: [server.id],
    workspaceIntegrationIds: [integration.id],
    integrationNames: ['not-there-yet'],
    integrationAliases: ['Any Name'],
    actionNames: ['fly'],
    connectionStrategies: ['fixed'],
    endUserMode: 'no_end_user',
    decision: 'block',
    mode: 'shadow',
    riskMode: 'model_assisted',
    rules: {
      actionCategories: ['payment'],
      amountThresholds: [{ path: 'items.*.amount', gte: 1, gt: 2, currency: 'EUR', currencyPath: 'currency' }],
      recipientAllowlist: ['*@example.com'],
      recipientDenylist: [],
      domainAllowlist: ['*.example.com'],
      domainDenylist: ['evil.example'],
      storagePathPrefixes: ['/private'],
    },
    approvers: [{ type: 'org_role', roles: ['owner', 'admin'] }, { type: 'dashboard_user', userIds: ['u1'] }, { type: 'end_user' }],
    timeoutSeconds: 60,
    defaultOnTimeout: 'expire',
    reuseWindowSeconds: 0,
    approvalAccessMode: 'hosted_link_only',
    metadata: { team: ['ops'] },
  };
  expect((await api.must(200).post(POLICIES, fields)).policy).toMatchObject(fields);
});

const DAY = 86_400;
test.each([
  ['name', ['', 'x'.repeat(121), null, 5], ['x', 'x'.repeat(120)]],
  ['description', ['x'.repeat(1001)], ['', 'x'.repeat(1000), null]],
  ['priority', [-1, 10_001, 1.5, '1'], [0, 10_000]],
  ['timeoutSeconds', [59, 30 * DAY + 1, 60.5], [60, 30 * DAY]],
  ['reuseWindowSeconds', [-1, 7 * DAY + 1, 0.5], [0, 7 * DAY, null]],
  ['sources', [[], ['fax'], 'rest'], [['trigger']]],
  ['connectionStrategies', [['magic']], [['per_user']]],
  ['endUserMode', ['some'], ['end_user_present']],
  ['decision', ['maybe'], ['notify_only', 'auto_approve']],
  ['mode', ['off', null, ''], ['shadow', 'enforce']],
  ['riskMode', ['guess'], ['always']],
  ['defaultOnTimeout', ['approve'], ['expire']],
  ['approvalAccessMode', ['public'], ['dashboard_only']],
  ['enabled', ['yes', 1], [false]],
  ['metadata', [[], 'x'], [{ any: { thing: null } }]],
  ['mcpServerIds', [['x'], 'x', [null]], [[]]],
  ['integrationNames', [[''], [1]], [['a', 'b']]],
  ['workspaceId', ['x', ''], [null]],
])('POST and PATCH both enforce the bounds of %s', async (field, wrong, right) => {
  const { api } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'To change' });
  for (const value of wrong) {
    for (const answer of [
      await api.post(POLICIES, { name: 'x', [field]: value }),
      await api.patch(`${POLICIES}/${policy.id}`, { [field]: value }),
    ]) {
      expect([value, answer.status, answer.body.code]).toEqual([value, 400, 'VALIDATION_ERROR']);
      expect(answer.body.details.issues[0].path.split('.')[0]).toBe(field);
    }
  }
  for (const value of right) {
    expect((await api.must(200).post(POLICIES, { name: 'x', [field]: value })).policy[field]).toEqual(value);
    expect((await api.must(200).patch(`${POLICIES}/${policy.id}`, { [field]: value })).policy[field]).toEqual(value);
  }
});

test.each([
  ['an unknown rule', { rules: { weekdays: ['monday'] } }, 'rules.weekdays'],
  ['an unknown category', { rules: { actionCategories: ['fun'] } }, 'rules.actionCategories.0'],
  ['a threshold without a bound', { rules: { amountThresholds: [{ path: 'a' }] } }, 'rules.amountThresholds.0'],
  ['a threshold without a path', { rules: { amountThresholds: [{ gt: 1 }] } }, 'rules.amountThresholds.0.path'],
  ['a bound that is a string', { rules: { amountThresholds: [{ path: 'a', gt: '1' }] } }, 'rules.amountThresholds.0.gt'],
  ['a string instead of a list', { rules: { domainDenylist: 'evil.example' } }, 'rules.domainDenylist'],
  ['an unknown approver', { approvers: [{ type: 'oracle' }] }, 'approvers.0.type'],
  ['an unknown role', { approvers: [{ type: 'org_role', roles: ['king'] }] }, 'approvers.0.roles.0'],
  ['no roles', { approvers: [{ type: 'org_role' }] }, 'approvers.0.roles'],
  ['no users', { approvers: [{ type: 'dashboard_user', userIds: [] }] }, 'approvers.0.userIds'],
  ['a field of another approver type', { approvers: [{ type: 'end_user', roles: ['owner'] }] }, 'approvers.0.roles'],
  [
    'a secret that the caller chose',
    { approvers: [{ type: 'webhook', webhookUrl: 'https://example.com', secret: 'x' }] },
    'approvers.0.secret',
  ],
  ['an unknown field', { version: 7 }, 'version'],
])('%s is refused', async (_, fields, path) => {
  const { api } = await checkedTenant();
  const { status, body } = await api.post(POLICIES, { name: 'x', ...fields });
  expect([status, body.code, body.details.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
});

test('a webhook needs a public HTTPS address if the operator allows no other addresses', async () => {
  const bed = await openApiBed({ OUTBOUND_ALLOW_HTTP: '', OUTBOUND_ALLOW_CIDRS: '' });
  try {
    const urls = [
      'http://example.com',
      'https://127.0.0.1',
      'https://localhost/x',
      'https://user:pw@example.com',
      'ftp://example.com',
      'https://[::1]/',
      'not a url',
      'https://10.0.0.1/',
    ];
    const approvers = urls.map((webhookUrl) => ({ type: 'webhook', webhookUrl }));
    const { status, body } = await bed.api.post(POLICIES, { name: 'x', approvers });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.details.issues.map(({ path }: { path: string }) => path)).toEqual(urls.map((_, index) => `approvers.${index}.webhookUrl`));
    expect(
      (await bed.api.post(POLICIES, { name: 'x', approvers: [{ type: 'webhook', webhookUrl: 'https://example.com/hook' }] })).status,
    ).toBe(200);
  } finally {
    await bed.close();
  }
});

test('only the answer that creates a webhook secret contains the secret', async () => {
  const { api } = await checkedTenant();
  const hook = { type: 'webhook', webhookUrl: 'https://example.com/hook' };
  const { policy } = await api.must(200).post(POLICIES, { name: 'x', approvers: [hook, { type: 'end_user' }, hook] });
  const { secret } = policy.approvers[0];
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(policy.approvers).toEqual([{ ...hook, secret }, { type: 'end_user' }, { ...hook, secret }]);
  const path = `${POLICIES}/${policy.id}`;
  expect((await api.must(200).get(path)).policy.approvers).toEqual([hook, { type: 'end_user' }, hook]);

  const other = { type: 'webhook', webhookUrl: 'https://example.com/other' };
  const changed = (await api.must(200).patch(path, { approvers: [hook, other] })).policy.approvers;
  expect(changed).toEqual([hook, { ...other, secret: expect.stringMatching(/^whsec_/) }]);
  await api.must(200).patch(path, { approvers: [] });
  const again = (await api.must(200).patch(path, { approvers: [hook] })).policy.approvers[0].secret;
  expect(again).toMatch(/^whsec_/);
  expect(again).not.toBe(secret);
});

test('PATCH raises the version, replaces arrays, and keeps absent fields', async () => {
  const { api } = await checkedTenant();
  const { policy } = await api.must(200).post(POLICIES, { name: 'x', actionNames: ['a', 'b'], rules: { actionCategories: ['write'] } });
  const path = `${POLICIES}/${policy.id}`;
  const changed = (await api.must(200).patch(path, { actionNames: ['c'], description: 'd' })).policy;
  expect(changed).toEqual({ ...policy, version: 2, actionNames: ['c'], description: 'd', updatedAt: changed.updatedAt });
  expect(await api.patch(path, {})).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('a deleted policy no longer applies, but its approvals can be read and rejected', async () => {
  const { api, workspaceId } = await checkedTenant();
  const call = { workspaceId, integrationName: 'hash-encode', actionName: 'generate_uuid' };
  const { policy } = await api.must(200).post(POLICIES, { name: 'x' });
  const { approval } = await api.must(202).post('/api/v1/actions/execute', call);
  expect(await api.must(200).delete(`${POLICIES}/${policy.id}`)).toEqual({ deleted: true, id: policy.id });
  expect(await api.delete(`${POLICIES}/${policy.id}`)).toMatchObject({ status: 404, body: { code: 'APPROVAL_POLICY_NOT_FOUND' } });
  await api.must(200).post('/api/v1/actions/execute', call);
  expect((await api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval).toMatchObject({ status: 'pending', policyId: policy.id });
  expect((await api.must(200).post(`/api/v1/approvals/${approval.id}/reject`)).approval.status).toBe('rejected');
});
