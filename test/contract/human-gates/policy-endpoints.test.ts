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

  test('only name is required; the other fields have the specified defaults', async () => {
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

  test('a caller cannot set id', async () => {
    expect((await gates.api.post(POLICIES, { name: 'x', id: UNKNOWN })).status).toBe(400);
  });

  test('name, description, priority and both durations have the specified bounds', () => {
    // `test/api/limits.test.ts` tests that the API enforces the bounds.
    for (const request of ['post approval-policies', 'patch approval-policies'])
      expect(LIMITS.find((limits) => limits.request === request)!.bounds).toMatchObject({
        name: { min: 1, max: 120 },
        description: { max: 1000 },
        priority: { min: 0, max: 10_000 },
        timeoutSeconds: { min: 60, max: 30 * 86_400 },
        reuseWindowSeconds: { min: 0, max: 7 * 86_400 },
      });
  });

  test('a webhook secret is whsec_ and 32 random bytes, and only the answer to its creation contains it', async () => {
    const hook = { type: 'webhook', webhookUrl: 'https://hooks.example.com/x' };
    const { id, approvers } = await gates.policy({ approvers: [hook] });
    expect(Buffer.from(approvers[0].secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect((await gates.api.must(200).get(`${POLICIES}/${id}`)).policy.approvers).toEqual([hook]);
    expect(JSON.stringify(await gates.api.must(200).get(POLICIES))).not.toContain('whsec_');
  });

  test('POST …/webhook-secrets/rotate needs no body and answers { secret } with a new secret', async () => {
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
  test('GET returns one policy as { policy }', async () => {
    const policy = await gates.policy();
    expect(await gates.api.must(200).get(`${POLICIES}/${policy.id}`)).toEqual({ policy });
  });

  test('PATCH changes the given fields; absent fields stay unchanged', async () => {
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
  ])('a list in PATCH replaces the stored list: %s', async (field, before, after) => {
    const { id } = await gates.policy({ [field]: before });
    expect((await gates.api.must(200).patch(`${POLICIES}/${id}`, { [field]: after })).policy[field]).toEqual(after);
  });

  test('DELETE deletes the policy and keeps its approval requests', async () => {
    const { id } = await gates.policy();
    const { id: approvalId } = await gates.gated();
    expect(await gates.api.must(200).delete(`${POLICIES}/${id}`)).toEqual({ deleted: true, id });
    expect((await gates.api.get(`${POLICIES}/${id}`)).status).toBe(404);
    expect(await gates.outcome()).toBe(200);
    expect((await gates.api.must(200).get(APPROVALS)).approvals).toMatchObject([{ id: approvalId, policyId: id, status: 'pending' }]);
  });

  test.each(['get', 'patch', 'delete'] as const)(
    '%s of an unknown or foreign policy answers 404 APPROVAL_POLICY_NOT_FOUND',
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
