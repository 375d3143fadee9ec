import type { McpServer } from '../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { lockMcpServersOf } from '../store/mcp-servers.ts';
import { deleteStaleMcpTools, insertMissingMcpTools, type NewMcpTool } from '../store/mcp-tools.ts';
import { deleteStaleRemovals, listRemovedMcpTools, type RemovedMcpTool } from '../store/removed-mcp-tools.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';

/**
 * Makes the synced tools of an instance follow it, on every server of its workspace, in the caller's transaction (specification 4.6).
 * A tool that stays keeps its id; a tool added by hand stands before a synced one; one that was taken from a server stays away.
 */
export async function syncInstance(catalog: Catalog, tx: Db, instance: WorkspaceIntegration): Promise<void> {
  const actionNames = offeredActions(catalog, instance);
  await deleteStaleMcpTools(tx, { workspaceIntegrationId: instance.id, alias: instance.alias, actionNames });
  await deleteStaleRemovals(tx, instance.id, actionNames);
  await insertSynced(catalog, tx, {
    workspaceId: instance.workspaceId,
    servers: await lockMcpServersOf(tx, instance.workspaceId),
    instances: [instance],
  });
}

/** Gives a server the tools of every instance of its workspace that it lacks, in the caller's transaction. */
export async function syncServer(catalog: Catalog, tx: Db, server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId'>): Promise<void> {
  const { orgId, workspaceId } = server;
  await insertSynced(catalog, tx, { workspaceId, servers: [server], instances: await listWorkspaceIntegrations(tx, orgId, workspaceId) });
}

interface Pairing {
  workspaceId: string;
  servers: readonly Pick<McpServer, 'id'>[];
  instances: readonly WorkspaceIntegration[];
}

async function insertSynced(catalog: Catalog, tx: Db, { workspaceId, servers, instances }: Pairing): Promise<void> {
  const removed = new Set((await listRemovedMcpTools(tx, workspaceId)).map(keyOf));
  const tools = servers.flatMap(({ id: serverId }) =>
    instances.flatMap((instance) =>
      offeredActions(catalog, instance)
        .filter((actionName) => !removed.has(keyOf({ serverId, workspaceIntegrationId: instance.id, actionName })))
        .map((actionName) => toolOf(instance, serverId, actionName)),
    ),
  );
  await insertMissingMcpTools(tx, tools);
}

function keyOf({ serverId, workspaceIntegrationId, actionName }: RemovedMcpTool): string {
  return [serverId, workspaceIntegrationId, actionName].join();
}

function offeredActions(catalog: Catalog, instance: WorkspaceIntegration): string[] {
  const actions = catalog.find(instance.integrationName)?.actions.keys() ?? [];
  return [...actions].filter((name) => enablesAction(instance, name));
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
