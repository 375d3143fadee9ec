import { aWorkspace, checkedTenant, withWorkspaceKey } from '../checked-caller.ts';

const TEST = '/api/v1/approval-policies/test';

const reasonsAgainst = (reasons: string[]) => reasons.filter((reason) => / did not (match|fire), /.test(reason));

test.each([
  ['no filter', {}, {}, true],
  ["the call's integration", { integrationNames: ['kv-store'] }, {}, true],
  ['another integration', { integrationNames: ['storage'] }, {}, false],
  ['another source', { sources: ['trigger'] }, {}, false],
  ["the call's alias", { integrationAliases: ['notes'] }, { integrationAlias: 'notes' }, true],
  ['an alias, for a call that names none', { integrationAliases: ['kv-store'] }, {}, true],
  ['another alias', { integrationAliases: ['notes'] }, {}, false],
  ["the call's strategy", { connectionStrategies: ['per_user'] }, { connectionStrategy: 'per_user' }, true],
  ['a strategy, for a call that names none', { connectionStrategies: ['fixed'] }, {}, true],
  ['an end user', { endUserMode: 'end_user_present' }, { endUserId: 'ann' }, true],
  ['a required end user, for a call without an end user', { endUserMode: 'end_user_present' }, {}, false],
  ['no end user, for a call with an end user', { endUserMode: 'no_end_user' }, { endUserId: 'ann' }, false],
  ["the call's category", { rules: { actionCategories: ['write'] } }, {}, true],
  ['another category', { rules: { actionCategories: ['payment'] } }, {}, false],
  ['another category, with rules ignored', { riskMode: 'always', rules: { actionCategories: ['payment'] } }, {}, true],
  [
    'an amount over the threshold',
    { rules: { amountThresholds: [{ path: 'value.amount', gt: 100 }] } },
    { input: { key: 'a', value: { amount: 101 } } },
    true,
  ],
  [
    'an amount at the threshold',
    { rules: { amountThresholds: [{ path: 'value.amount', gt: 100 }] } },
    { input: { key: 'a', value: { amount: 100 } } },
    false,
  ],
  [
    'categories, for an unknown action without a category',
    { rules: { actionCategories: ['read', 'write'] } },
    { actionName: 'not_yet' },
    false,
  ],
  ['the name of an unknown integration', { integrationNames: ['not-yet'] }, { integrationName: 'not-yet', actionName: 'x' }, true],
  ['enabled false', { enabled: false }, {}, false],
])('a policy is tested with %s', async (_, policy, context, matched) => {
  const { api, workspaceId } = await checkedTenant();
  const answer = await api.must(200).post(TEST, {
    policy: { decision: 'block', ...policy },
    context: { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: 1 }, ...context },
  });
  expect(answer).toMatchObject({ decision: matched ? 'block' : 'allow', matched });
  expect(reasonsAgainst(answer.reasons)).toHaveLength(matched ? 0 : 1);
});

test.each(['require_approval', 'notify_only', 'block', 'auto_approve'])(
  'the answer is %s if the policy matches, and otherwise allow',
  async (decision) => {
    const { api, workspaceId } = await checkedTenant();
    const context = { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'get' };
    const decide = async (fields: object) => (await api.must(200).post(TEST, { policy: { decision, ...fields }, context })).decision;
    expect([await decide({}), await decide({ actionNames: ['put'] })]).toEqual([decision, 'allow']);
  },
);

test('a policy can be tested as the API returned it, with read-only fields', async () => {
  const { api, workspaceId } = await checkedTenant();
  const context = { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'get' };
  const approvers = [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/a' }];
  const created = (await api.must(200).post('/api/v1/approval-policies', { name: 'Stored', decision: 'block', approvers })).policy;
  const stored = (await api.must(200).get(`/api/v1/approval-policies/${created.id}`)).policy;
  expect(created.approvers[0].secret).toEqual(expect.any(String));
  for (const policy of [created, stored])
    expect(await api.must(200).post(TEST, { policy, context })).toMatchObject({ decision: 'block', matched: true });
  expect((await api.post('/api/v1/approval-policies', stored)).status).toBe(400);
  expect((await api.post(TEST, { policy: { ...stored, other: 1 }, context })).status).toBe(400);
});

test('every filter and rule is explained, whether or not it matched', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { reasons } = await api.must(200).post(TEST, {
    policy: {
      integrationNames: ['storage'],
      actionNames: ['read_file'],
      rules: { amountThresholds: [{ path: 'amount', gte: 500 }], storagePathPrefixes: ['/reports'] },
    },
    context: {
      workspaceId,
      source: 'sdk',
      integrationName: 'storage',
      actionName: 'delete_file',
      input: { path: 'reports/a', amount: 10 },
    },
  });
  expect(reasons.slice(0, -1)).toEqual([
    'enabled: matched (the policy is on)',
    'workspaceId: matched (any of the organization)',
    'sources: matched (sdk)',
    'mcpServerIds: matched (any)',
    'workspaceIntegrationIds: matched (any)',
    'integrationNames: matched (storage)',
    'integrationAliases: matched (any)',
    'actionNames: did not match, the action is delete_file',
    'connectionStrategies: matched (any)',
    'endUserMode: matched (any)',
    'amountThresholds: did not fire, amount is 10, not 500 or more',
    'storagePathPrefixes: fired, a path is under /reports',
  ]);
  expect(reasons.at(-1)).toEqual(REFUSED);
});

const REFUSED = expect.stringContaining('so a call with it is refused before any policy');

test.each([
  [
    "the call's category",
    { actionCategories: ['delete'] },
    { integrationName: 'http', actionName: 'send_request', input: { method: 'DELETE' } },
    true,
  ],
  [
    'another category',
    { actionCategories: ['write'] },
    { integrationName: 'http', actionName: 'send_request', input: { method: 'DELETE' } },
    false,
  ],
  [
    "the call's recipients",
    { recipientDenylist: ['C012'] },
    { integrationName: 'slack', actionName: 'send_channel_message', input: { channel: 'C012' } },
    true,
  ],
  [
    "the call's path",
    { storagePathPrefixes: ['reports'] },
    { integrationName: 'storage', actionName: 'write_file', input: { path: './reports/a' } },
    true,
  ],
  [
    'a path of the wrong type',
    { storagePathPrefixes: ['reports'] },
    { integrationName: 'storage', actionName: 'write_file', input: { path: 5 } },
    false,
  ],
  ['no path', { storagePathPrefixes: ['reports'] }, { integrationName: 'storage', actionName: 'write_file', input: {} }, false],
  [
    'an amount',
    { amountThresholds: [{ path: 'amount', gte: 5 }] },
    { integrationName: 'storage', actionName: 'write_file', input: { amount: 5 } },
    true,
  ],
] as const)('an invalid input is reported, but still judged by %s', async (_, rules, context, matched) => {
  const { api, workspaceId } = await checkedTenant();
  const policy = { decision: 'block', rules };
  const answer = await api.must(200).post(TEST, { policy, context: { workspaceId, source: 'rest', ...context } });
  expect(answer).toMatchObject({ decision: matched ? 'block' : 'allow', matched });
  expect(answer.reasons.at(-1)).toEqual(REFUSED);
  expect(reasonsAgainst(answer.reasons)).toHaveLength(matched ? 0 : 1);
});

test('a tested call has the alias and strategy of its workspace integration', async () => {
  const tenant = await checkedTenant();
  const { api, workspaceId } = tenant;
  const place = `/api/v1/workspaces/${workspaceId}/integrations`;
  const body = { integrationName: 'slack', alias: 'team-chat', connectionStrategy: 'per_user' };
  const { integration } = await api.must(201).post(place, body);
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId });
  const named = { workspaceIntegrationId: integration.id, mcpServerId: server.id };
  const call = { workspaceId, source: 'mcp_tools', integrationName: 'slack', actionName: 'send_channel_message', ...named };
  const policy = {
    ...{ integrationAliases: ['team-chat'], connectionStrategies: ['per_user'], decision: 'notify_only' },
    ...{ mcpServerIds: [server.id], workspaceIntegrationIds: [integration.id] },
  };
  expect(await api.must(200).post(TEST, { policy, context: call })).toMatchObject({ decision: 'notify_only' });
  const bare = { ...call, mcpServerId: null, workspaceIntegrationId: null };
  expect(reasonsAgainst((await api.must(200).post(TEST, { policy, context: bare })).reasons)).toEqual([
    'mcpServerIds: did not match, the call has no MCP server',
    'workspaceIntegrationIds: did not match, the call has no workspace integration',
    'integrationAliases: did not match, the alias is slack',
    'connectionStrategies: did not match, the connection strategy is fixed',
  ]);
  expect(await api.post(TEST, { policy, context: { ...call, integrationName: 'github', integrationAlias: 'mine' } })).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: 'context.workspaceIntegrationId' }, { path: 'context.integrationAlias' }] } },
  });
});

test('a server or workspace integration of another workspace is not found', async () => {
  const [tenant, other] = [await checkedTenant(), await checkedTenant()];
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  const make = async ({ api }: typeof tenant, workspaceId: string) => ({
    mcpServerId: (await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId })).server.id,
    workspaceIntegrationId: (await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store' }))
      .integration.id,
  });
  const context = { workspaceId: tenant.workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'get' };
  for (const ids of [await make(other, other.workspaceId), await make(tenant, elsewhere)]) {
    for (const [field, id] of Object.entries(ids)) {
      expect(await tenant.api.post(TEST, { policy: {}, context: { ...context, [field]: id } })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
  }
});

test('a workspace key can test org-wide policies, but only with records of its workspaces', async () => {
  const tenant = await checkedTenant();
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  const { server } = await tenant.api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: elsewhere });
  const local = await withWorkspaceKey(tenant);
  const context = { workspaceId: tenant.workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' };
  expect(await local.must(200).post(TEST, { policy: {}, context })).toMatchObject({ decision: 'require_approval' });
  for (const policy of [{ workspaceId: elsewhere }, { mcpServerIds: [server.id] }])
    expect(await local.post(TEST, { policy, context })).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
});

test('testing a policy stores nothing', async () => {
  const { api, workspaceId } = await checkedTenant();
  const context = { workspaceId, source: 'rest', integrationName: 'a', actionName: 'b', endUserId: 'never seen' };
  await api.must(200).post(TEST, { policy: {}, context });
  expect((await api.must(200).get('/api/v1/approval-policies')).total).toBe(0);
  expect((await api.must(200).get(`/api/v1/end-users?workspaceId=${workspaceId}`)).total).toBe(0);
  expect(await api.post(TEST, { policy: { priority: -1 }, context: {} })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});
