import { LIMITS } from '../../api/limits-table.ts';
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

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('4.4 POST /api/v1/approval-policies', () => {
  test('answers 200 with { policy } and every field of the policy object', async () => {
    const { status, body } = await gates.api.post(POLICIES, { name: 'x' });
    expect([status, Object.keys(body)]).toEqual([200, ['policy']]);
    const fields = 'id workspaceId name description enabled priority sources mcpServerIds workspaceIntegrationIds integrationNames';
    const more = 'integrationAliases actionNames connectionStrategies endUserMode decision riskMode rules approvers timeoutSeconds';
    const last = 'defaultOnTimeout reuseWindowSeconds approvalAccessMode metadata';
    for (const field of `${fields} ${more} ${last}`.split(' ')) expect(body.policy).toHaveProperty(field);
  });

  test('only name is required; the defaults are those of the table', async () => {
    const { status } = await gates.api.post(POLICIES, {});
    expect(status).toBe(400);
    expect(await gates.policy({ name: 'x' })).toMatchObject({
      workspaceId: null,
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
      riskMode: 'rules',
      rules: {},
      approvers: [],
      timeoutSeconds: 3600,
      defaultOnTimeout: 'reject',
      reuseWindowSeconds: null,
      approvalAccessMode: 'dashboard_and_hosted_link',
      metadata: null,
    });
  });

  test('id is not taken from the caller', async () => {
    expect((await gates.api.post(POLICIES, { name: 'x', id: UNKNOWN })).status).toBe(400);
  });

  test('bounds: name 120, description 1000, priority 0 to 10000, timeoutSeconds 60 s to 30 days, reuseWindowSeconds 0 s to 7 days', () => {
    // test/api/limits.test.ts asks for each at one less, at the edges, and at one more.
    for (const request of ['post approval-policies', 'patch approval-policies'])
      expect(LIMITS.find((limits) => limits.request === request)!.bounds).toMatchObject({
        name: { min: 1, max: 120 },
        description: { max: 1000 },
        priority: { min: 0, max: 10_000 },
        timeoutSeconds: { min: 60, max: 30 * 86_400 },
        reuseWindowSeconds: { min: 0, max: 7 * 86_400 },
      });
  });

  test('a webhook secret, whsec_ and 32 random bytes, is in the answer that created it and never again', async () => {
    const hook = { type: 'webhook', webhookUrl: 'https://hooks.example.com/x' };
    const { id, approvers } = await gates.policy({ approvers: [hook] });
    expect(Buffer.from(approvers[0].secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect((await gates.api.must(200).get(`${POLICIES}/${id}`)).policy.approvers).toEqual([hook]);
    expect(JSON.stringify(await gates.api.must(200).get(POLICIES))).not.toContain('whsec_');
  });

  test('POST …/webhook-secrets/rotate has no body and answers { secret }, a new one', async () => {
    const { id, approvers } = await gates.policy({ approvers: [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/x' }] });
    const answer = await gates.api.must(200).post(`${POLICIES}/${id}/webhook-secrets/rotate`);
    expect(answer).toEqual({ secret: expect.stringMatching(/^whsec_/) });
    expect(answer.secret).not.toBe(approvers[0].secret);
  });
});

describe('4.4 GET /api/v1/approval-policies', () => {
  test('answers { policies, total }; workspaceId is optional', async () => {
    const { workspace } = await gates.api.must(201).post('/api/v1/workspaces', { name: 'other', slug: 'other' });
    await gates.policy({ name: 'wide' });
    await gates.policy({ name: 'here', workspaceId: gates.workspaceId });
    await gates.policy({ name: 'there', workspaceId: workspace.id });
    const names = async (query = '') => {
      const { policies, total } = await gates.api.must(200).get(`${POLICIES}${query}`);
      expect(total).toBe(policies.length);
      return policies.map(({ name }: { name: string }) => name).sort();
    };
    expect(await names()).toEqual(['here', 'there', 'wide']);
    expect(await names(`?workspaceId=${gates.workspaceId}`)).toEqual(['here', 'wide']);
  });
});

describe('4.4 GET, PATCH and DELETE /api/v1/approval-policies/{id}', () => {
  test('GET returns one policy, as { policy }', async () => {
    const policy = await gates.policy();
    expect(await gates.api.must(200).get(`${POLICIES}/${policy.id}`)).toEqual({ policy });
  });

  test('PATCH takes the same fields, all optional; what is absent stays', async () => {
    const policy = await gates.policy({ description: 'kept', actionNames: ['hash'] });
    const { policy: changed } = await gates.api.must(200).patch(`${POLICIES}/${policy.id}`, { priority: 7 });
    expect(changed).toEqual({ ...policy, priority: 7, version: policy.version + 1, updatedAt: changed.updatedAt });
  });

  test.each([
    ['integrationNames', ['a', 'b'], ['c']],
    ['integrationAliases', ['a', 'b'], []],
    ['actionNames', ['a'], ['b', 'c']],
    ['connectionStrategies', ['fixed', 'per_user'], ['per_user']],
    ['sources', ['rest', 'sdk'], ['trigger']],
  ])('array filters provided replace the stored arrays: %s', async (field, before, after) => {
    const { id } = await gates.policy({ [field]: before });
    expect((await gates.api.must(200).patch(`${POLICIES}/${id}`, { [field]: after })).policy[field]).toEqual(after);
  });

  test('DELETE deletes the policy; existing approval request history stays', async () => {
    const { id } = await gates.policy();
    const { id: approvalId } = await gates.gated();
    expect(await gates.api.must(200).delete(`${POLICIES}/${id}`)).toEqual({ deleted: true, id });
    expect((await gates.api.get(`${POLICIES}/${id}`)).status).toBe(404);
    expect(await gates.outcome()).toBe(200);
    expect((await gates.api.must(200).get(APPROVALS)).approvals).toMatchObject([{ id: approvalId, policyId: id, status: 'pending' }]);
  });

  test.each(['get', 'patch', 'delete'] as const)(
    '%s of an unknown policy, or of one of others: 404 APPROVAL_POLICY_NOT_FOUND',
    async (verb) => {
      const foreign = await (await bed.enter()).policy();
      for (const id of [UNKNOWN, 'x', foreign.id])
        expect(await gates.api[verb](`${POLICIES}/${id}`, verb === 'patch' ? { enabled: false } : undefined)).toMatchObject({
          status: 404,
          body: { code: 'APPROVAL_POLICY_NOT_FOUND' },
        });
    },
  );
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
    'answers { decision, matched, reasons } for a policy of %s',
    async (decision) => {
      expect(await test_({ decision })).toEqual({ decision, matched: true, reasons: expect.arrayContaining([expect.any(String)]) });
    },
  );

  test('answers allow where the policy does not match', async () => {
    expect(await test_({ actionNames: ['other'] })).toMatchObject({ decision: 'allow', matched: false });
  });

  test('its context takes workspaceId, source, integrationName, integrationAlias, actionName, connectionStrategy and input', async () => {
    const context = { integrationAlias: 'a', connectionStrategy: 'per_user' };
    expect(await test_({ integrationAliases: ['a'], connectionStrategies: ['per_user'] }, context)).toMatchObject({ matched: true });
  });

  test('it keeps nothing', async () => {
    await test_({});
    expect((await gates.api.must(200).get(POLICIES)).total).toBe(0);
    expect(await gates.outcome()).toBe(200);
  });

  test('names of integrations, aliases and actions that do not exist (yet) are accepted, here and in policies', async () => {
    const names = { integrationNames: ['not-yet'], integrationAliases: ['not-yet'], actionNames: ['not_yet'] };
    await gates.policy(names);
    const context = { integrationName: 'not-yet', integrationAlias: 'not-yet', actionName: 'not_yet', input: {} };
    expect(await test_(names, context)).toMatchObject({ matched: true });
  });

  test('riskMode rules: with empty rules the filters alone match; otherwise any one rule that fires, and reasons name each that fired', async () => {
    expect((await test_({ rules: {} })).matched).toBe(true);
    const rules = { amountThresholds: [{ path: 'text', gt: 5 }], domainDenylist: ['evil.example'], recipientDenylist: ['nobody'] };
    expect((await test_({ rules }, { input: { text: '3' } })).matched).toBe(false);
    const { matched, reasons } = await test_({ rules }, { input: { text: '7', salt: 'https://evil.example' } });
    expect(matched).toBe(true);
    expect(
      reasons.filter((reason: string) => /^(amountThresholds|domainDenylist|recipientDenylist): /.test(reason)).length,
    ).toBeGreaterThanOrEqual(2);
  });

  test('riskMode always: filters alone, rules ignored', async () => {
    expect((await test_({ riskMode: 'always', rules: { actionCategories: ['payment'] } })).matched).toBe(true);
    expect((await test_({ riskMode: 'always', actionNames: ['other'] })).matched).toBe(false);
  });

  test('riskMode model_assisted without an endpoint: treated as matched, with the reason said', async () => {
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
  ])('rules: %s fires, and is named', async (name, rules, context) => {
    const { matched, reasons } = await test_({ rules }, context);
    expect([matched, reasons.some((reason: string) => reason.startsWith(`${name.split(' ')[0]}: `))]).toEqual([true, true]);
  });
});

describe('4.4 Matching rule', () => {
  test('when several policies match, the one with the lowest priority value wins', async () => {
    await gates.policy({ priority: 5, decision: 'block' });
    await gates.policy({ priority: 4, decision: 'auto_approve' });
    expect(await gates.outcome()).toBe(200);
  });

  test('ties go to the most severe decision: block, require_approval, notify_only, auto_approve', async () => {
    const decided: (string | undefined)[] = [];
    for (const decision of ['auto_approve', 'notify_only', 'require_approval', 'block']) {
      const { id } = await gates.policy({ decision });
      const { status } = await gates.call({ input: { text: decision } });
      const { approvals } = await gates.api.must(200).get(`${APPROVALS}?limit=1`);
      decided.push(status === 403 || approvals[0].policyId === id ? decision : undefined);
    }
    expect(decided).toEqual(['auto_approve', 'notify_only', 'require_approval', 'block']);
  });

  test('then to the lower policy id', async () => {
    const ids = (await Promise.all([1, 2, 3, 4].map(() => gates.policy()))).map(({ id }) => id).sort();
    expect((await gates.gated()).policyId).toBe(ids[0]);
  });

  test('organization and workspace policies count together', async () => {
    await gates.policy({ priority: 5, decision: 'block' });
    await gates.policy({ priority: 4, workspaceId: gates.workspaceId });
    expect(await gates.outcome()).toBe(202);
  });
});
