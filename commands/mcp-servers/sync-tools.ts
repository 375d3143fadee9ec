import type { McpServer } from '../../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import { lockMcpServersOf } from '../../store/mcp-servers.ts';
import { deleteStaleMcpTools, insertMissingMcpTools, type NewMcpTool } from '../../store/mcp-tools.ts';
import { deleteStaleRemovals, listRemovedMcpTools, type RemovedMcpTool } from '../../store/removed-mcp-tools.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import type { OrgCatalog } from '../integrations/org-catalog.ts';

/**
 * Syncs the tools of a workspace integration to the MCP servers of its workspace (specification
 * 4.6). A tool that remains keeps its id. A removed tool is added again only if its action
 * was not offered in between.
 */
export async function syncInstance(catalog: OrgCatalog, tx: Db, instance: WorkspaceIntegration): Promise<void> {
  const actionNames = await offeredActions(catalog, tx, instance);
  await deleteStaleMcpTools(tx, { workspaceIntegrationId: instance.id, alias: instance.alias, actionNames });
  await deleteStaleRemovals(tx, instance.id, actionNames);
  await insertSynced(catalog, tx, {
    workspaceId: instance.workspaceId,
    servers: await lockMcpServersOf(tx, instance.workspaceId),
    instances: [instance],
  });
}

/**
 * Adds to an MCP server the missing tools of the integrations in its workspace. Does not add tools
 * that were removed.
 */
export async function syncServer(catalog: OrgCatalog, tx: Db, server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId'>): Promise<void> {
  const { orgId, workspaceId } = server;
  await insertSynced(catalog, tx, { workspaceId, servers: [server], instances: await listWorkspaceIntegrations(tx, orgId, workspaceId) });
}

interface Pairing {
  workspaceId: string;
  servers: readonly Pick<McpServer, 'id'>[];
  instances: readonly WorkspaceIntegration[];
}

async function insertSynced(catalog: OrgCatalog, tx: Db, { workspaceId, servers, instances }: Pairing): Promise<void> {
  const removed = new Set((await listRemovedMcpTools(tx, workspaceId)).map(keyOf));
  const offered = await Promise.all(instances.map((instance) => offeredActions(catalog, tx, instance)));
  const tools = servers.flatMap(({ id: serverId }) =>
    instances.flatMap((instance, index) =>
      offered[index]!.filter((actionName) => !removed.has(keyOf({ serverId, workspaceIntegrationId: instance.id, actionName }))).map(
        (actionName) => toolOf(instance, serverId, actionName),
      ),
    ),
  );
  await insertMissingMcpTools(tx, tools);
}

function keyOf({ serverId, workspaceIntegrationId, actionName }: RemovedMcpTool): string {
  return [serverId, workspaceIntegrationId, actionName].join();
}

async function offeredActions(catalog: OrgCatalog, tx: Db, instance: WorkspaceIntegration): Promise<string[]> {
  const integration = await catalog.find(instance.orgId, instance.integrationName, tx);
  return [...(integration?.actions.keys() ?? [])].filter((name) => enablesAction(instance, name));
}

function toolOf(instance: WorkspaceIntegration, serverId: string, actionName: string): NewMcpTool {
  return {
    orgId: instance.orgId,
    workspaceId: instance.workspaceId,
    serverId,
    integrationName: instance.integrationName,
    integrationAlias: instance.alias,
    actionName,
    connectionId: null,
    displayName: null,
    description: null,
    inputDefaults: null,
    partialIds: [],
    sortOrder: instance.sortOrder,
    sourceWorkspaceIntegrationId: instance.id,
  };
}
