import type { GatewayApi } from './gateway-api.ts';

export interface Scene {
  toolsServer: Server;
  codeServer: Server;
  /** The origin to which the program sends its report. */
  target: string;
}

interface Server {
  endpoint: string;
  token: string;
}

/** Creates a workspace with the integrations, MCP servers and policy that the demo needs. */
export async function prepare(api: GatewayApi, partnerUrl: string): Promise<Scene> {
  const slug = `demo-${Date.now().toString(36)}`;
  const { workspace } = await api.post('/api/v1/workspaces', { name: 'Demo', slug });
  const persistence = { settings: { persistence: { scope: 'workspace' } } };
  for (const integration of [
    { integrationName: 'storage', ...persistence },
    { integrationName: 'hash-encode' },
    { integrationName: 'http' },
    { integrationName: 'datetime' },
  ]) {
    await api.post(`/api/v1/workspaces/${workspace.id}/integrations`, integration);
  }
  const target = await chooseTarget(api, workspace.id, partnerUrl);
  await api.post('/api/v1/approval-policies', {
    name: 'A person looks at what is sent',
    workspaceId: workspace.id,
    integrationNames: ['http'],
    riskMode: 'always',
  });
  return { target, toolsServer: await makeServer(api, workspace.id, 'TOOLS'), codeServer: await makeServer(api, workspace.id, 'CODE') };
}

async function makeServer(api: GatewayApi, workspaceId: string, mode: 'TOOLS' | 'CODE'): Promise<Server> {
  const { mcpEndpoint, bearerToken } = await api.post('/api/v1/mcp/servers', {
    name: `Demo ${mode}`,
    workspaceId,
    mode,
    authMode: 'bearer',
  });
  return { endpoint: mcpEndpoint, token: bearerToken };
}

/**
 * Returns the partner on this machine if the gateway may call it (OUTBOUND_ALLOW_HTTP and
 * OUTBOUND_ALLOW_CIDRS), else example.com.
 */
async function chooseTarget(api: GatewayApi, workspaceId: string, partnerUrl: string): Promise<string> {
  const { status } = await api.try('/api/v1/actions/execute', {
    workspaceId,
    integrationName: 'http',
    actionName: 'send_request',
    input: { method: 'GET', url: partnerUrl },
  });
  return status === 200 ? partnerUrl : 'https://example.com';
}
