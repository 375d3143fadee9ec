import { randomUUID } from 'node:crypto';
import { aPolicy, aServer, type Tenant } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';
import { CREATE_TASK, GET_TASK, tasksAt } from '../integrations/own/own-bed.ts';

/** Ids of a tenant's records, and tokens for other entry points than the API. */
export interface World {
  tenant: Tenant;
  workspaceId: string;
  apiKeyId: string;
  memberId: string;
  integrationId: string;
  serverId: string;
  oauthServerId: string;
  toolId: string;
  /** An end user's bearer token for `serverId`, and an OAuth token for `oauthServerId`. */
  bearerTokenId: string;
  oauthTokenId: string;
  policyId: string;
  /** A delivery for the first approval, to the policy's webhook. */
  deliveryId: string;
  /** Three pending approvals. */
  approvalIds: [string, string, string];
  endUserId: string;
  connectionId: string;
  partialId: string;
  sessionId: string;
  /** A waiting run. NO_RUN if `aWorld` was given a tenant, because its API may lack a worker. */
  codeRunId: string;
  oauthAppId: string;
  /** A custom integration of the organization, with two pending changes. */
  own: { name: string; document: object; changeIds: [string, string] };
  /** Tokens by kind. API keys are not included. */
  tokens: Record<string, string>;
}

export const END_USER = 'a person';

/** An organization can have only one OAuth app per integration. */
const OAUTH_APP = { integrationName: 'slack', clientId: 'id', clientSecret: 'secret' };

const NO_RUN = 'crun_0000000000000000000000';

async function aWaitingRun({ api }: Tenant, serverId: string): Promise<string> {
  const code = "await svc.kv_store.put({ key: 'a', value: 4 })";
  await api.must(200).post(`/api/v1/mcp/servers/${serverId}/execute-code`, { code });
  const { codeRuns } = await api.must(200).get(`/api/v1/code-runs?mcpServerId=${serverId}&status=waiting`);
  return codeRuns[0].id;
}

/** Fills the tenant's workspace. By default, creates a tenant on the shared system. */
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
  const email = `member-${randomUUID()}@example.com`;
  const { member } = await make.post('/api/v1/members', { name: 'In the world', email, role: 'viewer' });
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
  const bearer = await forEndUser(server.id, 'access-tokens');
  const oauthToken = await forEndUser(oauth.server.id, 'oauth-tokens');
  const approvals = [];
  for (const value of [1, 2, 3]) {
    const execute = { workspaceId, integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value }, partialIds: [] };
    approvals.push((await api.must(202).post('/api/v1/actions/execute', execute)).approval);
  }
  const codeRunId = given ? NO_RUN : await aWaitingRun(tenant, server.id);
  const ownIntegration = `own-${randomUUID()}`;
  const ownDocument = tasksAt('https://api.example.com');
  await make.post('/api/v1/integrations/import', { kind: 'declarative', name: ownIntegration, document: ownDocument });
  const described = (action: object) => ({ ...action, description: 'Described anew.' });
  const actions = { get_task: described(GET_TASK), create_task: described(CREATE_TASK) };
  const refresh = { document: { ...ownDocument, actions } };
  const { changes } = await api.must(200).post(`/api/v1/integrations/${ownIntegration}/refresh`, refresh);
  const { webhookDeliveries } = (await api.must(200).get(`/api/v1/approvals/${approvals[0].id}`)).approval;
  return {
    tenant,
    workspaceId,
    apiKeyId: apiKey.id,
    memberId: member.id,
    integrationId: integrations[0].id,
    serverId: server.id,
    oauthServerId: oauth.server.id,
    toolId: tool.id,
    bearerTokenId: bearer.token.id,
    oauthTokenId: oauthToken.token.id,
    policyId: policy.id,
    deliveryId: webhookDeliveries[0].id,
    approvalIds: approvals.map(({ id }) => id) as [string, string, string],
    endUserId: endUser.id,
    connectionId: connection.id,
    partialId: partial.id,
    codeRunId,
    sessionId: (session.sessionId ?? session.session?.id) as string,
    oauthAppId: oauthApp.id,
    own: { name: ownIntegration, document: ownDocument, changeIds: changes.map(({ id }: { id: string }) => id) },
    tokens: {
      'static bearer (mcp_)': server.token,
      'end-user bearer (mcp_)': bearer.accessToken,
      'OAuth access (mcpo_)': oauthToken.accessToken,
      'connect portal (eut_)': (await api.must(200).post(`/api/v1/end-users/${endUser.id}/connect-token`)).token,
      'connect session (cst_)': session.token,
      'approval link (apr_link_v1_)': new URL(approvals[0].hostedApprovalUrl).searchParams.get('token')!,
    },
  };
}
