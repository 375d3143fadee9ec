import { checkedTenant } from '../checked-caller.ts';

const TEST = '/api/v1/approval-policies/test';

test.each([
  ['no filter', {}, {}, true],
  ['its integration', { integrationNames: ['kv-store'] }, {}, true],
  ['another integration', { integrationNames: ['storage'] }, {}, false],
  ['another source', { sources: ['trigger'] }, {}, false],
  ['its alias', { integrationAliases: ['notes'] }, { integrationAlias: 'notes' }, true],
  ['an alias where the call has none', { integrationAliases: ['notes'] }, {}, false],
  ['its strategy', { connectionStrategies: ['fixed'] }, { connectionStrategy: 'fixed' }, true],
  ['its category', { rules: { actionCategories: ['write'] } }, {}, true],
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
  ['an unknown action of no category', { rules: { actionCategories: ['read', 'write'] } }, { actionName: 'not_yet' }, false],
  ['an unknown integration by name', { integrationNames: ['not-yet'] }, { integrationName: 'not-yet', actionName: 'x' }, true],
  ['a policy that is off', { enabled: false }, {}, false],
])('a policy with %s', async (_, policy, context, matched) => {
  const { api, workspaceId } = await checkedTenant();
  const answer = await api.must(200).post(TEST, {
    policy: { decision: 'block', ...policy },
    context: { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: 1 }, ...context },
  });
  expect(answer).toEqual({
    decision: matched ? 'block' : 'allow',
    matched,
    reasons: matched ? expect.arrayContaining([expect.any(String)]) : [],
  });
});

const REFUSED = expect.stringContaining('so a call with it is refused before any policy');

test.each([
  [
    'its category',
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
    'its recipients',
    { recipientDenylist: ['C012'] },
    { integrationName: 'slack', actionName: 'send_channel_message', input: { channel: 'C012' } },
    true,
  ],
  [
    'its path',
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
] as const)(
  'an unfinished input is judged by %s all the same, and the reasons say that it is not valid',
  async (_, rules, context, matched) => {
    const { api, workspaceId } = await checkedTenant();
    const policy = { decision: 'block', rules };
    const answer = await api.must(200).post(TEST, { policy, context: { workspaceId, source: 'rest', ...context } });
    expect(answer).toMatchObject({ decision: matched ? 'block' : 'allow', matched });
    expect(answer.reasons.at(-1)).toEqual(REFUSED);
    expect(answer.reasons.length > 1).toBe(matched);
  },
);

test('a test leaves nothing behind', async () => {
  const { api, workspaceId } = await checkedTenant();
  await api.must(200).post(TEST, { policy: {}, context: { workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' } });
  expect((await api.must(200).get('/api/v1/approval-policies')).total).toBe(0);
  expect(await api.post(TEST, { policy: { priority: -1 }, context: {} })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});
