import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import { aPolicy, aServer, aTenant } from '../../support/tenant.ts';
import { APPROVALS, type Gates, openGatesBed } from './gates-bed.ts';

let bed: Awaited<ReturnType<typeof openGatesBed>>;
let gates: Gates;
beforeAll(async () => {
  bed = await openGatesBed();
});
afterAll(() => bed?.close());
beforeEach(async () => {
  gates = await bed.enter();
});

const one = async (policy: object = {}, call: object = {}) => {
  const made = await gates.policy(policy);
  const gated = await gates.gated(call);
  return { policy: made, gated, approval: await gates.approval(gated.id) };
};

describe('2.8 Approval request: fields', () => {
  test('id has the prefix apr_', async () => {
    expect((await one()).approval.id).toMatch(/^apr_[0-9A-Za-z]{22}$/);
  });

  test('policyId is the matched policy; workspaceId is the workspace of the call', async () => {
    const { policy, approval } = await one();
    expect([approval.policyId, approval.workspaceId]).toEqual([policy.id, gates.workspaceId]);
  });

  test('endUserId is the end user whose connection may be used, or null', async () => {
    await gates.api.must(201).post('/api/v1/end-users', { workspaceId: gates.workspaceId, externalId: 'ada' });
    expect((await one({}, { endUserId: 'ada' })).approval.endUserId).toBe('ada');
    expect((await one()).approval.endUserId).toBeNull();
  });

  test('source names the kind of caller', async () => {
    await gates.configure({ integrationName: 'hash-encode' });
    const server = await gates.server();
    await gates.policy();
    const sourceOf = async (id: string) => (await gates.approval(id)).source;
    expect(await sourceOf((await gates.gated()).id)).toBe('rest');
    expect(await sourceOf((await gates.gated({}, { 'x-svc-source': 'sdk' })).id)).toBe('sdk');
    const { structuredContent } = await server.callTool('hash-encode__hash', { text: 'x' });
    expect(await sourceOf(structuredContent.approval.id)).toBe('mcp_tools');
  });

  test('status is pending, approved, rejected, expired, canceled or consumed', async () => {
    await gates.policy();
    const statuses: string[] = [];
    for (const [text, decision] of [
      ['a', undefined],
      ['b', 'approve'],
      ['c', 'reject'],
      ['d', 'cancel'],
    ] as const) {
      const { id } = await gates.gated({ input: { text } });
      if (decision) await gates.decide(id, decision);
      statuses.push((await gates.approval(id)).status);
    }
    expect(statuses).toEqual(['pending', 'approved', 'rejected', 'canceled']);
    for (const status of ['pending', 'approved', 'rejected', 'expired', 'canceled', 'consumed'])
      await gates.api.must(200).get(`${APPROVALS}?status=${status}`);
  });

  test('integrationName, integrationAlias and actionName name the requested action', async () => {
    const names = ({ integrationName, integrationAlias, actionName }: Record<string, unknown>) => [
      integrationName,
      integrationAlias,
      actionName,
    ];
    await gates.configure({ integrationName: 'hash-encode', alias: 'digests' });
    expect(names((await one({}, { integrationAlias: 'digests' })).approval)).toEqual(['hash-encode', 'digests', 'hash']);
    const bare = { integrationName: 'datetime', actionName: 'is_business_hours', input: {} };
    expect(names((await one({}, bare)).approval).slice(0, 1)).toEqual(['datetime']);
  });

  test('inputPreview marks redacted values, and redactedPaths lists their paths', async () => {
    const { approval } = await one({}, { input: { text: `token=zq4711x&page=2`, algorithm: 'sha256' } });
    expect(approval.inputPreview).toMatchObject({ text: 'token=[redacted]&page=2', algorithm: 'sha256' });
    expect(approval.redactedPaths).toEqual(['text']);
  });

  test('riskReasons explain why the policy matched', async () => {
    const { approval } = await one({ rules: { amountThresholds: [{ path: 'text', gt: 5 }] } }, { input: { text: '7' } });
    expect(approval.riskReasons).toEqual(expect.arrayContaining([expect.stringMatching(/^amountThresholds: /)]));
  });

  test('approvalAccessMode is that of the policy', async () => {
    expect((await one({ approvalAccessMode: 'hosted_link_only' })).approval.approvalAccessMode).toBe('hosted_link_only');
  });

  test('hostedApprovalUrl is {platform_url}/approve/<approval_id>?token=apr_link_v1_…; it is null if the mode allows no hosted link', async () => {
    const { gated } = await one();
    expect(gated.hostedApprovalUrl).toMatch(new RegExp(`^http://[^/]+/approve/${gated.id}\\?token=apr_link_v1_[0-9A-Za-z]+$`));
    expect((await fetch(gated.hostedApprovalUrl.replace(/^http:\/\/[^/]+/, gates.bed.apiUrl))).status).toBe(200);
    const closed = await one({ approvalAccessMode: 'dashboard_only', priority: 1 }, { input: { text: 'y' } });
    expect([closed.gated.hostedApprovalUrl, closed.approval.hostedApprovalUrl]).toEqual([null, null]);
    expect(closed.gated.approvalUrl).toMatch(new RegExp(`^http://[^/]+/app/approvals/${closed.gated.id}$`));
  });

  test('idempotencyKey is the key that the retry must send', async () => {
    const { gated, approval } = await one();
    expect(gated.retry.idempotencyKey).toBe(approval.idempotencyKey);
    await gates.decide(gated.id, 'approve');
    expect(await gates.outcome({ idempotencyKey: approval.idempotencyKey })).toBe(200);
    expect((await gates.approval(gated.id)).status).toBe('consumed');
  });

  test('expiresAt is an ISO 8601 timestamp in UTC', async () => {
    expect((await one()).approval.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  test('webhookDeliveries is only in the detail response of an approval with a webhook approver', async () => {
    const plain = await one();
    expect(plain.approval).not.toHaveProperty('webhookDeliveries');
    const approvers = [{ type: 'webhook', webhookUrl: 'http://127.0.0.1:9/hook' }];
    const { approval } = await one({ approvers, priority: 1 }, { input: { text: 'y' } });
    expect(approval.webhookDeliveries).toMatchObject([{ eventType: 'approval.requested', callbackUrl: 'http://127.0.0.1:9/hook' }]);
    expect((await gates.api.must(200).get(APPROVALS)).approvals[0]).not.toHaveProperty('webhookDeliveries');
  });

  test('an approval has the additional fields of contract decisions 3', async () => {
    const { approval } = await one();
    const fields =
      'orgId mcpServerId workspaceIntegrationId connectionStrategy inputHash riskScore riskCategory defaultOnTimeout requestedByType';
    const decided = 'requestedById decidedByType decidedById decisionReason decidedAt consumedAt createdAt updatedAt';
    for (const field of `${fields} ${decided}`.split(' ')) expect(approval).toHaveProperty(field);
    expect(approval.inputHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the answer to a gated call has the bearer link, keys that may decide can read it, and other keys read null', async () => {
    const { gated, approval } = await one();
    expect(approval.hostedApprovalUrl).toBe(gated.hostedApprovalUrl);
    const { plainKey } = await gates.api.must(200).post('/api/v1/api-keys', { name: 'Reader' });
    const read = async (path: string) =>
      (await fetch(`${gates.bed.apiUrl}${path}`, { headers: { authorization: `Bearer ${plainKey}` } })).json();
    const answers = [(await read(`${APPROVALS}/${gated.id}`)) as { approval: object }, (await read(APPROVALS)) as object];
    expect(answers[0]).toMatchObject({ approval: { approvalUrl: null, hostedApprovalUrl: null } });
    expect(JSON.stringify(answers)).not.toContain('apr_link_v1_');
  });
});

describe('2.8 An approval of a whole batch run in MCP Code Mode', () => {
  const CODE = `// Publishes the report
    const digest = await svc.hash_encode.hash({ text: 'one' });
    await svc.kv_store.put({ key: 'report', value: digest });
    await svc.http.send_request({ method: 'GET', url: 'https://reports.example/x' });
    return svc.hash_encode.hash({ text: String(Math.random()) });`;

  test('the preview has type mcp_code_batch_run and every specified field; sibling approvals have the same codeRunId', async () => {
    const tenant = await aTenant();
    const server = await aServer(tenant, 'CODE', ['hash-encode', 'kv-store', 'http']);
    const policies = [
      await aPolicy(tenant, { name: 'Hashes', integrationNames: ['hash-encode'] }),
      await aPolicy(tenant, { name: 'Keys', integrationNames: ['kv-store'] }),
    ];
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: CODE });
    const { approvals } = await tenant.api.must(200).get(APPROVALS);
    const previews = approvals.map(({ inputPreview }: { inputPreview: object }) => inputPreview);
    expect(previews).toHaveLength(2);
    for (const preview of previews)
      expect(preview).toMatchObject({
        type: 'mcp_code_batch_run',
        codeRunId: expect.stringMatching(/^crun_/),
        intentSummary: expect.stringContaining('Publishes the report'),
        impactSummary: expect.any(String),
        predictedTools: expect.arrayContaining([expect.objectContaining({ tool: 'kv-store.put' })]),
        approvalRequiredTools: expect.arrayContaining(['hash-encode.hash', 'kv-store.put']),
        approvalGroups: expect.any(Array),
        availableApps: expect.arrayContaining(['hash-encode', 'kv-store', 'http']),
        externalDomains: ['reports.example'],
        storageIndicators: expect.any(Array),
        analysisConfidence: expect.stringMatching(/^(exact|partial|dynamic)$/),
        dynamicSignals: expect.any(Array),
        codeHash: hashCode(CODE),
        toolSurfaceHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    expect(previews[0].codeRunId).toBe(previews[1].codeRunId);
    expect(approvals.map(({ id }: { id: string }) => id)).toContain(structuredContent.approval.id);
    const groups = Object.fromEntries(
      previews[0].approvalGroups.map((group: Record<string, unknown>) => [group.approvalPolicyId, group.tools]),
    );
    expect(groups).toEqual({ [policies[0]!.id]: ['hash-encode.hash'], [policies[1]!.id]: ['kv-store.put'] });
  });
});
