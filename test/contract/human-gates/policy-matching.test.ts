import { APPROVALS, type Gates, openGatesBed, POLICIES } from './gates-bed.ts';

let bed: Awaited<ReturnType<typeof openGatesBed>>;
let gates: Gates;
beforeAll(async () => {
  bed = await openGatesBed();
});
afterAll(() => bed?.close());
beforeEach(async () => {
  gates = await bed.enter();
});

describe('4.4 POST /api/v1/approval-policies/test', () => {
  const test_ = (policy: object, context: object = {}) =>
    gates.api.must(200).post(`${POLICIES}/test`, {
      policy: { name: 'x', ...policy },
      context: {
        workspaceId: gates.workspaceId,
        source: 'rest',
        integrationName: 'hash-encode',
        actionName: 'hash',
        input: { text: 'x' },
        ...context,
      },
    });

  test.each(['require_approval', 'notify_only', 'block', 'auto_approve'])(
    'answers { decision, matched, reasons, warnings } for a policy with the decision %s',
    async (decision) => {
      expect(await test_({ decision })).toEqual({
        decision,
        matched: true,
        reasons: expect.arrayContaining([expect.any(String)]),
        warnings: expect.any(Array),
      });
    },
  );

  test('answers allow if the policy does not match', async () => {
    expect(await test_({ actionNames: ['other'] })).toMatchObject({ decision: 'allow', matched: false });
  });

  test('the context accepts workspaceId, source, integrationName, integrationAlias, actionName, connectionStrategy and input', async () => {
    const context = { integrationAlias: 'a', connectionStrategy: 'per_user' };
    expect(await test_({ integrationAliases: ['a'], connectionStrategies: ['per_user'] }, context)).toMatchObject({ matched: true });
  });

  test('stores nothing', async () => {
    await test_({});
    expect((await gates.api.must(200).get(POLICIES)).total).toBe(0);
    expect(await gates.outcome()).toBe(200);
  });

  test('policies and tests accept names of integrations, aliases and actions that do not exist (yet)', async () => {
    const names = { integrationNames: ['not-yet'], integrationAliases: ['not-yet'], actionNames: ['not_yet'] };
    await gates.policy(names);
    const context = { integrationName: 'not-yet', integrationAlias: 'not-yet', actionName: 'not_yet', input: {} };
    expect(await test_(names, context)).toMatchObject({ matched: true });
  });

  test('riskMode rules: the filters must match and, if there are rules, at least one rule must fire', async () => {
    expect((await test_({ rules: {} })).matched).toBe(true);
    const rules = { amountThresholds: [{ path: 'text', gt: 5 }], domainDenylist: ['evil.example'], recipientDenylist: ['nobody'] };
    expect((await test_({ rules }, { input: { text: '3' } })).matched).toBe(false);
    const { matched, reasons } = await test_({ rules }, { input: { text: '7', salt: 'https://evil.example' } });
    expect(matched).toBe(true);
    expect(
      reasons.filter((reason: string) => /^(amountThresholds|domainDenylist|recipientDenylist): /.test(reason)).length,
    ).toBeGreaterThanOrEqual(2);
  });

  test('riskMode always: the filters decide, and rules are ignored', async () => {
    expect((await test_({ riskMode: 'always', rules: { actionCategories: ['payment'] } })).matched).toBe(true);
    expect((await test_({ riskMode: 'always', actionNames: ['other'] })).matched).toBe(false);
  });

  test('riskMode model_assisted without an endpoint: the policy matches, and the reasons explain why', async () => {
    const { matched, reasons } = await test_({ riskMode: 'model_assisted', rules: { actionCategories: ['payment'] } });
    expect(matched).toBe(true);
    expect(reasons.join('\n')).toMatch(/no endpoint is configured/);
  });

  test.each([
    [
      'actionCategories',
      { actionCategories: ['delete'] },
      { integrationName: 'http', actionName: 'send_request', input: { method: 'DELETE', url: 'https://x.example' } },
    ],
    [
      'amountThresholds with a path into a list',
      { amountThresholds: [{ path: 'value.*.amount', gte: 5 }] },
      { integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: [{ amount: 5 }] } },
    ],
    [
      'amountThresholds of a currency',
      { amountThresholds: [{ path: 'value.amount', gt: 5, currency: 'eur', currencyPath: 'value.in' }] },
      { integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: { amount: 6, in: 'EUR' } } },
    ],
    [
      'recipientAllowlist',
      { recipientAllowlist: ['*@ours.example'] },
      { integrationName: 'mail', actionName: 'send', input: { to: 'x@theirs.example' } },
    ],
    [
      'recipientDenylist',
      { recipientDenylist: ['x@*'] },
      { integrationName: 'mail', actionName: 'send', input: { to: 'x@theirs.example' } },
    ],
    ['domainAllowlist', { domainAllowlist: ['*.ours.example'] }, { input: { text: 'see https://theirs.example' } }],
    ['domainDenylist', { domainDenylist: ['*.theirs.example'] }, { input: { text: 'mail a@b.theirs.example' } }],
    [
      'storagePathPrefixes after normalising',
      { storagePathPrefixes: ['reports/secret'] },
      { integrationName: 'storage', actionName: 'write_file', input: { path: './reports/x/../secret/a', content: 'x' } },
    ],
  ])('rules: %s fires and is named in the reasons', async (name, rules, context) => {
    const { matched, reasons } = await test_({ rules }, context);
    expect([matched, reasons.some((reason: string) => reason.startsWith(`${name.split(' ')[0]}: `))]).toEqual([true, true]);
  });
});

describe('4.4 Matching rule', () => {
  test('of several matching policies, the lowest priority value wins', async () => {
    await gates.policy({ priority: 5, decision: 'block' });
    await gates.policy({ priority: 4, decision: 'auto_approve' });
    expect(await gates.outcome()).toBe(200);
  });

  test('at equal priority, the most severe decision wins: block, require_approval, notify_only, auto_approve', async () => {
    const decided: (string | undefined)[] = [];
    for (const decision of ['auto_approve', 'notify_only', 'require_approval', 'block']) {
      const { id } = await gates.policy({ decision });
      const { status } = await gates.call({ input: { text: decision } });
      const { approvals } = await gates.api.must(200).get(`${APPROVALS}?limit=1`);
      decided.push(status === 403 || approvals[0].policyId === id ? decision : undefined);
    }
    expect(decided).toEqual(['auto_approve', 'notify_only', 'require_approval', 'block']);
  });

  test('at equal priority and decision, the lower policy id wins', async () => {
    const ids = (await Promise.all([1, 2, 3, 4].map(() => gates.policy()))).map(({ id }) => id).sort();
    expect((await gates.gated()).policyId).toBe(ids[0]);
  });

  test('organization and workspace policies are ranked together', async () => {
    await gates.policy({ priority: 5, decision: 'block' });
    await gates.policy({ priority: 4, workspaceId: gates.workspaceId });
    expect(await gates.outcome()).toBe(202);
  });
});
