import { LIMITS } from '../../api/limits-table.ts';
import { type Gates, openGatesBed, POLICIES } from './gates-bed.ts';

let bed: Awaited<ReturnType<typeof openGatesBed>>;
let gates: Gates;
beforeAll(async () => {
  bed = await openGatesBed({ OUTBOUND_ALLOW_HTTP: '', OUTBOUND_ALLOW_CIDRS: '' });
});
afterAll(() => bed?.close());
beforeEach(async () => {
  gates = await bed.enter();
});

/** `test/api/limits.test.ts` tests that the API enforces these bounds. */
const bounds = (request: string) => LIMITS.find((limits) => limits.request === request)!.bounds;
const refused = (fields: object) => gates.api.post(POLICIES, { name: 'x', ...fields });

describe('2.7 Approval policy: fields', () => {
  test('a policy with a workspaceId gates that workspace; null gates the whole organization', async () => {
    const { workspace } = await gates.api.must(201).post('/api/v1/workspaces', { name: 'other', slug: 'other' });
    const local = await gates.policy({ workspaceId: gates.workspaceId });
    expect([await gates.outcome(), await gates.outcome({ workspaceId: workspace.id })]).toEqual([202, 200]);
    await gates.api.must(200).delete(`${POLICIES}/${local.id}`);
    expect((await gates.policy()).workspaceId).toBeNull();
    expect([await gates.outcome(), await gates.outcome({ workspaceId: workspace.id })]).toEqual([202, 202]);
  });

  test('name has at most 120 characters; description has at most 1000 or is null', async () => {
    for (const request of ['post approval-policies', 'patch approval-policies'])
      expect(bounds(request)).toMatchObject({ name: { max: 120 }, description: { max: 1000 } });
    expect((await gates.policy({ description: null })).description).toBeNull();
  });

  test('a policy with enabled false gates nothing', async () => {
    const { id } = await gates.policy({ enabled: false });
    expect(await gates.outcome()).toBe(200);
    await gates.api.must(200).patch(`${POLICIES}/${id}`, { enabled: true });
    expect(await gates.outcome()).toBe(202);
  });

  test('priority is an integer from 0 to 10000; lower values run first', async () => {
    expect(bounds('post approval-policies').priority).toMatchObject({ min: 0, max: 10_000 });
    expect((await refused({ priority: 1.5 })).status).toBe(400);
    await gates.policy({ priority: 2, decision: 'block' });
    expect(await gates.outcome()).toBe(403);
    await gates.policy({ priority: 1, decision: 'require_approval' });
    expect(await gates.outcome()).toBe(202);
  });

  test('sources accepts rest, sdk, mcp_tools, mcp_code, playground and trigger; a policy matches only its sources', async () => {
    const sources = ['rest', 'sdk', 'mcp_tools', 'mcp_code', 'playground', 'trigger'];
    expect((await gates.policy({ enabled: false, sources })).sources).toEqual(sources);
    expect((await refused({ sources: ['fax'] })).status).toBe(400);
    await gates.policy({ sources: ['sdk'] });
    expect([await gates.outcome(), await gates.outcome({}, { 'x-svc-source': 'sdk' })]).toEqual([200, 202]);
  });

  test('mcpServerIds is a filter', async () => {
    await gates.configure({ integrationName: 'hash-encode' });
    const [one, other] = [await gates.server(), await gates.server()];
    await gates.policy({ mcpServerIds: [one.id] });
    const said = async ({ callTool }: typeof one) => (await callTool('hash-encode__hash', { text: 'x' })).structuredContent;
    expect(await said(one)).toMatchObject({ status: 'approval_required' });
    expect(await said(other)).not.toHaveProperty('status');
    expect(await gates.outcome()).toBe(200);
  });

  test('workspaceIntegrationIds is a filter', async () => {
    const id = await gates.configure({ integrationName: 'hash-encode', alias: 'one' });
    await gates.configure({ integrationName: 'hash-encode', alias: 'two' });
    await gates.policy({ workspaceIntegrationIds: [id] });
    expect([await gates.outcome({ integrationAlias: 'one' }), await gates.outcome({ integrationAlias: 'two' })]).toEqual([202, 200]);
  });

  test.each([
    ['integrationNames', ['hash-encode'], {}, { integrationName: 'datetime', actionName: 'is_business_hours', input: {} }],
    ['actionNames', ['hash'], {}, { actionName: 'generate_uuid', input: {} }],
  ])('%s is a filter', async (field, wanted, inside, outside) => {
    await gates.policy({ [field]: wanted });
    expect([await gates.outcome(inside), await gates.outcome(outside)]).toEqual([202, 200]);
  });

  test('integrationAliases is a filter', async () => {
    await gates.configure({ integrationName: 'hash-encode', alias: 'one' });
    await gates.configure({ integrationName: 'hash-encode', alias: 'two' });
    await gates.policy({ integrationAliases: ['one'] });
    expect([await gates.outcome({ integrationAlias: 'one' }), await gates.outcome({ integrationAlias: 'two' })]).toEqual([202, 200]);
  });

  test('connectionStrategies accepts fixed, per_user and per_user_with_fallback, and filters by the connection strategy of a call', async () => {
    const all = ['fixed', 'per_user', 'per_user_with_fallback'];
    expect((await gates.policy({ enabled: false, connectionStrategies: all })).connectionStrategies).toEqual(all);
    expect((await refused({ connectionStrategies: ['magic'] })).status).toBe(400);
    await gates.configure({ integrationName: 'hash-encode', connectionStrategy: 'per_user' });
    await gates.policy({ connectionStrategies: ['per_user'] });
    expect(await gates.outcome()).toBe(202);
    expect(await gates.outcome({ integrationName: 'datetime', actionName: 'is_business_hours', input: {} })).toBe(200);
  });

  test.each([
    ['any', 202, 202],
    ['end_user_present', 202, 200],
    ['no_end_user', 200, 202],
  ])('endUserMode %s: a call with an end user answers %d, a call without one %d', async (endUserMode, withOne, without) => {
    await gates.api.must(201).post('/api/v1/end-users', { workspaceId: gates.workspaceId, externalId: 'ada' });
    await gates.policy({ endUserMode });
    expect([await gates.outcome({ endUserId: 'ada' }), await gates.outcome()]).toEqual([withOne, without]);
  });

  test('endUserMode refuses other words', async () => {
    expect((await refused({ endUserMode: 'some' })).status).toBe(400);
  });

  test.each([
    ['require_approval', 202],
    ['notify_only', 200],
    ['auto_approve', 200],
    ['block', 403],
  ])('decision %s: a matching call answers %d', async (decision, status) => {
    await gates.policy({ decision });
    expect(await gates.outcome()).toBe(status);
  });

  test('riskMode is rules, always or model_assisted', async () => {
    for (const riskMode of ['rules', 'always', 'model_assisted']) expect((await gates.policy({ riskMode })).riskMode).toBe(riskMode);
    expect((await refused({ riskMode: 'guess' })).status).toBe(400);
  });

  test('rules accepts only actionCategories, amountThresholds, recipient and domain lists, and storagePathPrefixes', async () => {
    const rules = {
      actionCategories: ['payment'],
      amountThresholds: [{ path: 'amount', gte: 5 }],
      recipientAllowlist: ['*@ours.example'],
      recipientDenylist: ['x@y.example'],
      domainAllowlist: ['*.ours.example'],
      domainDenylist: ['evil.example'],
      storagePathPrefixes: ['/secret'],
    };
    expect((await gates.policy({ rules })).rules).toEqual(rules);
    expect((await refused({ rules: { weekdays: ['monday'] } })).status).toBe(400);
  });

  test('timeoutSeconds is the lifetime of a pending request', async () => {
    await gates.policy({ timeoutSeconds: 120 });
    const { createdAt, expiresAt } = await gates.approval((await gates.gated()).id);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(120_000);
  });

  test('defaultOnTimeout is reject or expire', async () => {
    for (const defaultOnTimeout of ['reject', 'expire'])
      expect((await gates.policy({ defaultOnTimeout })).defaultOnTimeout).toBe(defaultOnTimeout);
    expect((await refused({ defaultOnTimeout: 'approve' })).status).toBe(400);
  });

  test('a previous approval admits the same call again only if reuseWindowSeconds is set', async () => {
    await gates.policy({ reuseWindowSeconds: 600, actionNames: ['hash'] });
    const { id } = await gates.gated();
    await gates.decide(id, 'approve');
    expect([await gates.outcome(), await gates.outcome()]).toEqual([200, 200]);
    expect((await gates.policy()).reuseWindowSeconds).toBeNull();
    const uuid = { actionName: 'generate_uuid', input: {} };
    await gates.decide((await gates.gated(uuid)).id, 'approve');
    expect([await gates.outcome(uuid), await gates.outcome(uuid)]).toEqual([200, 202]);
  });

  test.each([
    ['dashboard_only', false],
    ['dashboard_and_hosted_link', true],
    ['hosted_link_only', true],
  ])('approvalAccessMode %s: the approval has a hosted link: %s', async (approvalAccessMode, hasLink) => {
    await gates.policy({ approvalAccessMode });
    expect((await gates.gated()).hostedApprovalUrl !== null).toBe(hasLink);
  });

  test('metadata is optional and is returned unchanged', async () => {
    const metadata = { owner: 'finance', nested: { a: [1, null] } };
    expect((await gates.policy({ metadata })).metadata).toEqual(metadata);
    expect((await gates.policy()).metadata).toBeNull();
  });
});

describe('2.7 Approver shapes', () => {
  test('org_role requires roles: owner, admin or member', async () => {
    const approver = { type: 'org_role', roles: ['owner', 'admin', 'member'] };
    expect((await gates.policy({ approvers: [approver] })).approvers).toEqual([approver]);
    for (const wrong of [{}, { roles: [] }, { roles: ['king'] }])
      expect((await refused({ approvers: [{ type: 'org_role', ...wrong }] })).status).toBe(400);
  });

  test('dashboard_user requires userIds', async () => {
    const approver = { type: 'dashboard_user', userIds: ['someone'] };
    expect((await gates.policy({ approvers: [approver] })).approvers).toEqual([approver]);
    expect((await refused({ approvers: [{ type: 'dashboard_user' }] })).status).toBe(400);
  });

  test('end_user requires no other field', async () => {
    expect((await gates.policy({ approvers: [{ type: 'end_user' }] })).approvers).toEqual([{ type: 'end_user' }]);
  });

  test('end_user: the portal of the end user shows the pending approval', async () => {
    const person = { workspaceId: gates.workspaceId, externalId: 'ada' };
    const { endUser } = await gates.api.must(201).post('/api/v1/end-users', person);
    await gates.policy({ approvers: [{ type: 'end_user' }] });
    const { id } = await gates.gated({ endUserId: 'ada' });
    const { connectUrl } = await gates.api.must(200).post(`/api/v1/end-users/${endUser.id}/connect-token`);
    expect(await (await fetch(connectUrl.replace(/^http:\/\/[^/]+/, gates.bed.apiUrl))).text()).toContain(`/approve/${id}`);
  });

  test('webhook requires webhookUrl, a public HTTPS URL', async () => {
    const hook = (webhookUrl?: string) => refused({ approvers: [{ type: 'webhook', ...(webhookUrl !== undefined && { webhookUrl }) }] });
    expect((await hook('https://hooks.example.com/x')).status).toBe(200);
    for (const url of [undefined, '', 'http://hooks.example.com', 'https://127.0.0.1/', 'https://10.0.0.1/', 'https://localhost/', 'x'])
      expect([url, (await hook(url)).status]).toEqual([url, 400]);
  });

  test('other types are refused', async () => {
    expect((await refused({ approvers: [{ type: 'oracle' }] })).status).toBe(400);
  });
});
