import { keepsState } from '../../domain/workspace-integration.ts';
import { type Caller, callerOf } from './caller.ts';
import { newOrg } from './new-org.ts';
import { system } from './system.ts';

/**
 * A new organization with a workspace and a key that may decide. Tests do not see each other's
 * tenants.
 */
export interface Tenant {
  orgId: string;
  workspaceId: string;
  plainKey: string;
  apiUrl: string;
  /** Calls the REST API with that key. */
  api: Caller;
}

/** Creates a tenant on the shared system, or on the given one. */
export async function aTenant(on?: { apiUrl: string; databaseUrl: string }): Promise<Tenant> {
  const { apiUrl, databaseUrl } = on ?? (await system());
  const org = await newOrg(databaseUrl);
  return { ...org, apiUrl, api: callerOf(apiUrl, org.plainKey) };
}

/**
 * Creates an MCP server with these integrations, each configured in the workspace under its own
 * name, with state per workspace.
 */
export async function aServer(tenant: Tenant, mode: 'CODE' | 'TOOLS', integrations: string[], settings: object = {}) {
  for (const integrationName of integrations) {
    await tenant.api.must(201).post(`/api/v1/workspaces/${tenant.workspaceId}/integrations`, {
      integrationName,
      ...(keepsState(integrationName) && { settings: { persistence: { scope: 'workspace' } } }),
    });
  }
  const { server, bearerToken } = await tenant.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: `${mode} server`, workspaceId: tenant.workspaceId, mode, authMode: 'bearer', settings });
  return { id: server.id as string, token: bearerToken as string, endpoint: server.mcpEndpoint as string };
}

/** Creates a policy that requires approval of these actions. */
export async function aPolicy(tenant: Tenant, fields: object): Promise<{ id: string; [field: string]: unknown }> {
  const { policy } = await tenant.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', ...fields });
  return policy;
}
