import { callerOf } from '../support/caller.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
let upstream: Receiver;
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
});
afterEach(() => upstream.close());

type Ended = 'ran' | 'blocked' | 'waits';

const DOORS: [string, string, () => Promise<(path: string) => Promise<Ended>>][] = [
  [
    'REST',
    'rest',
    async () => async (path) => {
      const { status } = await tenant.api.post('/api/v1/actions/execute', {
        ...{ workspaceId: tenant.workspaceId, integrationName: 'http', actionName: 'send_request' },
        input: { method: 'POST', url: upstream.url + path },
      });
      return ({ 200: 'ran', 202: 'waits', 403: 'blocked' } as const)[status as 200]!;
    },
  ],
  [
    'an MCP tool',
    'mcp_tools',
    async () => {
      const { id, token } = await aServer(tenant, 'TOOLS', ['http']);
      const { body: surface } = await rpc(id, token, 'tools/list', {});
      const { name } = surface.result.tools.find((tool: { name: string }) => tool.name.endsWith('__send_request'));
      return async (path) => {
        const { body } = await rpc(id, token, 'tools/call', { name, arguments: { method: 'POST', url: upstream.url + path } });
        const text = JSON.stringify(body);
        return text.includes('APPROVAL_POLICY_BLOCKED') ? 'blocked' : text.includes('approval_required') ? 'waits' : 'ran';
      };
    },
  ],
  [
    'a code run',
    'mcp_code',
    async () => {
      const { id } = await aServer(tenant, 'CODE', ['http']);
      return async (path) => {
        const code = `try { return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}${path}' })).status }
          catch (error) { return error.code }`;
        const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
        if (structuredContent.status === 'approval_required') return 'waits';
        return structuredContent.output === 200 ? 'ran' : 'blocked';
      };
    },
  ],
];

const rpc = (serverId: string, token: string, method: string, params: object) =>
  callerOf(tenant.apiUrl, token).post(`/mcp/srv_${serverId}`, { jsonrpc: '2.0', id: 1, method, params });

describe.each(DOORS)('a call by %s', (_, source, open) => {
  test('runs immediately under auto_approve and notify_only, and notify_only notifies the webhook', async () => {
    const hook = await aReceiver();
    const make = await open();
    const approvers = [{ type: 'webhook', webhookUrl: hook.url }];
    for (const decision of ['auto_approve', 'notify_only']) {
      const policy = await aPolicy(tenant, { decision, approvers, sources: [source] });
      expect(await make(`/${decision}`)).toBe('ran');
      const { approvals } = await tenant.api.must(200).get('/api/v1/approvals?limit=1');
      expect(approvals[0]).toMatchObject({ policyId: policy.id, source, status: 'consumed', decidedByType: 'policy' });
      await tenant.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
    }
    expect(upstream.received.map(({ path }) => path)).toEqual(['/auto_approve', '/notify_only']);
    const [delivery] = await hook.has(1);
    expect(JSON.parse(delivery!.body)).toMatchObject({
      event: 'approval.requested',
      approval: { status: 'consumed', inputPreview: { url: `${upstream.url}/notify_only` } },
    });
    expect(hook.received).toHaveLength(1);
    await hook.close();
  });

  test('a call is refused under block, does not reach the third party, and leaves no approval', async () => {
    const make = await open();
    await aPolicy(tenant, { decision: 'block' });
    expect(await make('/blocked')).toBe('blocked');
    expect(upstream.received).toEqual([]);
    expect((await tenant.api.must(200).get('/api/v1/approvals')).total).toBe(0);
  });

  test('a call waits under require_approval, and policies for other sources do not affect the call', async () => {
    const make = await open();
    await aPolicy(tenant, { decision: 'block', sources: ['trigger', 'playground'], priority: 0 });
    expect(await make('/free')).toBe('ran');
    await aPolicy(tenant, { sources: [source] });
    expect(await make('/gated')).toBe('waits');
    expect(upstream.received.map(({ path }) => path)).toEqual(['/free']);
  });
});
