import { randomUUID } from 'node:crypto';
import { type Caller, callerOf } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { withKey, withWorkspaceKey } from '../checked-caller.ts';
import { read } from './page-bed.ts';

let bed: ApiBed;
let accounts: string;
beforeAll(async () => {
  bed = await openApiBed();
  bed.gateway.config.platformUrl = bed.apiUrl;
  const policy = { name: 'P', integrationNames: ['datetime'], approvers: [{ type: 'end_user' }], approvalAccessMode: 'dashboard_only' };
  await bed.api.must(200).post('/api/v1/approval-policies', { ...policy, workspaceId: bed.workspaceId });
  const configure = async (fields: object) =>
    (await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, fields)).integration.id;
  await configure({ integrationName: 'datetime' });
  accounts = await configure({ integrationName: 'github', connectionStrategy: 'per_user' });
});
afterAll(() => bed?.close());

async function anEndUserWhoIsAsked(): Promise<{ id: string; externalId: string }> {
  const externalId = randomUUID();
  const { endUser } = await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId });
  await bed.api.must(202).post('/api/v1/actions/execute', call(...GATED, externalId));
  return endUser;
}

const GATED = ['datetime', 'parse_date', { dateString: '2026-01-01' }] as const;
const WITHOUT_ACCOUNT = ['github', 'list_repositories', {}] as const;

const call = (integrationName: string, actionName: string, input: object, endUserId: string) => {
  return { integrationName, actionName, workspaceId: bed.workspaceId, endUserId, input };
};

async function portalFor(api: Caller, endUserId: string, restriction: object = {}): Promise<string> {
  return (await api.must(200).post(`/api/v1/end-users/${endUserId}/connect-token`, restriction)).connectUrl;
}

async function expectNothingToDecide(connectUrl: string): Promise<void> {
  const { status, html } = await read(connectUrl);
  expect([status, html.includes('Waiting for you'), html.includes('/approve/')]).toEqual([200, false, false]);
}

test('the portal shows pending approvals only if the key that created the portal link may decide', async () => {
  const asked = await anEndUserWhoIsAsked();
  const deciding = await withWorkspaceKey(bed, [bed.workspaceId], { decide: true });
  expect((await read(await portalFor(deciding, asked.id))).html).toMatch(/Waiting for you.*\/approve\//s);
  await expectNothingToDecide(await portalFor(await withWorkspaceKey(bed, [bed.workspaceId]), asked.id));
  await expectNothingToDecide(await portalFor(await withKey(bed, { scope: 'org' }), asked.id));
});

test('a portal restricted to an integration or an instance shows no pending approvals', async () => {
  const asked = await anEndUserWhoIsAsked();
  for (const restriction of [{ integrationName: 'mail' }, { integrationName: 'github' }, { workspaceIntegrationId: accounts }])
    await expectNothingToDecide(await portalFor(bed.api, asked.id, restriction));
});

test('the connect link of CONNECTION_REQUIRED, over REST or MCP, allows no decision', async () => {
  const { externalId } = await anEndUserWhoIsAsked();
  const overRest = await bed.api.post('/api/v1/actions/execute', call(...WITHOUT_ACCOUNT, externalId));
  expect(overRest.body).toMatchObject({ code: 'CONNECTION_REQUIRED' });
  await expectNothingToDecide(overRest.body.details.connectUrl);

  const wanted = { name: 'Agent', workspaceId: bed.workspaceId, authMode: 'bearer', endUserId: externalId };
  const { server, bearerToken } = await bed.api.must(201).post('/api/v1/mcp/servers', wanted);
  const agent = callerOf(bed.apiUrl, bearerToken);
  const tool = async ([integration, action, input]: typeof GATED | typeof WITHOUT_ACCOUNT) => {
    const params = { name: `${integration}__${action}`, arguments: input };
    return (await agent.must(200).post(`/mcp/srv_${server.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).result;
  };
  expect(JSON.stringify(await tool(GATED))).toContain('approval_required');
  const connectUrl = /http[^"\\ )]*connect\/portal\?token=\w+/.exec(JSON.stringify(await tool(WITHOUT_ACCOUNT)))?.[0];
  await expectNothingToDecide(connectUrl!);
});
