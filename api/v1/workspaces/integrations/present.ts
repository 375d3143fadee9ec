import type { Connection } from '../../../../domain/connection.ts';
import type { WorkspaceIntegration } from '../../../../domain/workspace-integration.ts';

export function presentWorkspaceIntegration(instance: WorkspaceIntegration) {
  return {
    id: instance.id,
    workspaceId: instance.workspaceId,
    orgId: instance.orgId,
    integrationName: instance.integrationName,
    alias: instance.alias,
    displayName: instance.displayName,
    connectionStrategy: instance.connectionStrategy,
    connectionId: instance.connectionId,
    enabledActions: instance.enabledActions,
    settings: instance.settings,
    sortOrder: instance.sortOrder,
    createdAt: instance.createdAt.toISOString(),
    updatedAt: instance.updatedAt.toISOString(),
  };
}

/** Presents a workspace integration in a list, with the status and names of its connection. */
export function presentListedIntegration(instance: WorkspaceIntegration, connection: Connection | undefined) {
  return {
    ...presentWorkspaceIntegration(instance),
    connectionStatus: connection?.status ?? null,
    connectionDisplayName: connection?.displayName ?? null,
    connectionExternalId: connection?.externalId ?? null,
  };
}
