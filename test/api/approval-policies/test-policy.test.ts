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
    context: { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'put', ...context },
  });
  expect(answer).toEqual({
    decision: matched ? 'block' : 'allow',
    matched,
    reasons: matched ? expect.arrayContaining([expect.any(String)]) : [],
  });
});

test('a test leaves nothing behind', async () => {
  const { api, workspaceId } = await checkedTenant();
  await api.must(200).post(TEST, { policy: {}, context: { workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' } });
  expect((await api.must(200).get('/api/v1/approval-policies')).total).toBe(0);
  expect(await api.post(TEST, { policy: { priority: -1 }, context: {} })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});
