import { aPolicy, aServer, type Tenant } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';

/** One record of every kind in one workspace: the ids by which routes name them, and the tokens that open other doors. */
export interface World {
  tenant: Tenant;
  workspaceId: string;
  apiKeyId: string;
  integrationId: string;
  serverId: string;
  oauthServerId: string;
  toolId: string;
  policyId: string;
  /** Of a webhook of that policy, for the first of the approvals. */
  deliveryId: string;
  /** Three that are pending. */
  approvalIds: [string, string, string];
  endUserId: string;
  connectionId: string;
  partialId: string;
  sessionId: string;
  /** Waits for a person, on the shared system; nobody's where there is no worker that runs it. */
  codeRunId: string;
  oauthAppId: string;
  /** Good tokens of every family but the API key's. */
  tokens: Record<string, string>;
}

export const END_USER = 'a person';

/** An organization has one for an integration. */
const OAUTH_APP = { integrationName: 'slack', clientId: 'id', clientSecret: 'secret' };

const NO_RUN = 'crun_0000000000000000000000';

async function aWaitingRun({ api }: Tenant, serverId: string): Promise<string> {
  const code = "await svc.kv_store.put({ key: 'a', value: 4 })";
  await api.must(200).post(`/api/v1/mcp/servers/${serverId}/execute-code`, { code });
  const { codeRuns } = await api.must(200).get(`/api/v1/code-runs?mcpServerId=${serverId}&status=waiting`);
  return codeRuns[0].id;
}

/** Fills the workspace of a new tenant on the shared system, or of the one given. */
export async function aWorld(given?: Tenant): Promise<World> {
  const tenant = given ?? (await checkedTenant());
  const { workspaceId, api } = tenant;
  const make = api.must(201);
  const server = await aServer(tenant, 'CODE', ['kv-store']);
  const { integrations } = await api.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`);
  const oauth = await make.post('/api/v1/mcp/servers', { name: 'OAuth', workspaceId });
  const { tool } = await make.post(`/api/v1/mcp/servers/${server.id}/tools`, { integrationName: 'datetime', actionName: 'parse_date' });
  const approvers = [{ type: 'webhook', webhookUrl: 'http://127.0.0.1:9/hook' }];
  const policy = await aPolicy(tenant, { workspaceId, actionNames: ['put'], approvers });
  const { apiKey } = await api.must(200).post('/api/v1/api-keys', { name: 'In the world' });
  const { endUser } = await make.post('/api/v1/end-users', { workspaceId, externalId: END_USER });
  const { connection } = await make.post('/api/v1/connections', {
    ...{
      integrationName: 'openai',
      externalId: 'in the world',
      type: 'SECRET_TEXT',
      secretText: 'sk-world',
      workspaceId,
      scope: 'WORKSPACE',
    },
  });
  const { partial } = await make.post('/api/v1/partials', {
    workspaceId,
    integrationName: 'kv-store',
    name: 'In the world',
    values: { key: 'k' },
  });
  const session = await make.post('/api/v1/connect/token', {
    ...{ integrationName: 'openai', connectionName: 'Account', externalId: 'through a session', workspaceId },
  });
  const { oauthApps } = await api.must(200).get('/api/v1/oauth-apps');
  const oauthApp = oauthApps[0] ?? (await make.post('/api/v1/oauth-apps', OAUTH_APP)).oauthApp;
  const forEndUser = (id: string, kind: string) => make.post(`/api/v1/mcp/servers/${id}/${kind}`, { endUserId: END_USER });
  const approvals = [];
  for (const value of [1, 2, 3]) {
    const execute = { workspaceId, integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value }, partialIds: [] };
    approvals.push((await api.must(202).post('/api/v1/actions/execute', execute)).approval);
  }
  const codeRunId = given ? NO_RUN : await aWaitingRun(tenant, server.id);
  const { webhookDeliveries } = (await api.must(200).get(`/api/v1/approvals/${approvals[0].id}`)).approval;
  return {
    tenant,
    workspaceId,
    apiKeyId: apiKey.id,
    integrationId: integrations[0].id,
    serverId: server.id,
    oauthServerId: oauth.server.id,
    toolId: tool.id,
    policyId: policy.id,
    deliveryId: webhookDeliveries[0].id,
    approvalIds: approvals.map(({ id }) => id) as [string, string, string],
    endUserId: endUser.id,
    connectionId: connection.id,
    partialId: partial.id,
    codeRunId,
    sessionId: (session.sessionId ?? session.session?.id) as string,
    oauthAppId: oauthApp.id,
    tokens: {
      'static bearer (mcp_)': server.token,
      'end-user bearer (mcp_)': (await forEndUser(server.id, 'access-tokens')).accessToken,
      'OAuth access (mcpo_)': (await forEndUser(oauth.server.id, 'oauth-tokens')).accessToken,
      'connect portal (eut_)': (await api.must(200).post(`/api/v1/end-users/${endUser.id}/connect-token`)).token,
      'connect session (cst_)': session.token,
      'approval link (apr_link_v1_)': new URL(approvals[0].hostedApprovalUrl).searchParams.get('token')!,
    },
  };
}
