import { keepsState } from '../../domain/workspace-integration.ts';
import { type Caller, callerOf } from './caller.ts';
import { newOrg } from './new-org.ts';
import { system } from './system.ts';

/** A new organization with a workspace, and with an API key that can decide approvals. */
export interface Tenant {
  orgId: string;
  workspaceId: string;
  plainKey: string;
  apiUrl: string;
  /** Calls the REST API with `plainKey`. */
  api: Caller;
}

/** Creates a tenant on the shared system, or on the system `on`. */
export async function aTenant(on?: { apiUrl: string; databaseUrl: string }): Promise<Tenant> {
  const { apiUrl, databaseUrl } = on ?? (await system());
  const org = await newOrg(databaseUrl);
  return { ...org, apiUrl, api: callerOf(apiUrl, org.plainKey) };
}

/**
 * Creates an MCP server and configures these integrations in the tenant's workspace. The name of
 * each integration is also the alias. Stateful integrations share their state across the workspace.
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

/** Creates a policy. Without other fields, it requires approval of every action. */
export async function aPolicy(tenant: Tenant, fields: object): Promise<{ id: string; [field: string]: unknown }> {
  const { policy } = await tenant.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', ...fields });
  return policy;
}
