import { mayNeedApproval } from '../../domain/policies/match-policies.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Connected } from '../../store/usable-connections.ts';
import type { Surface, SurfaceTool } from '../surfaces/surface-cache.ts';

/** The reader of a description determines which calls may need approval or an account first. */
export interface SurfaceReader {
  workspaceId: string;
  mcpServerId: string;
  endUserId: string | null;
  policies: PolicySet;
  connections: readonly Connected[];
}

export interface DescribedAlias {
  alias: string;
  integrationName: string;
  displayName: string;
  connected: boolean;
}

/** `connected` is true if the reader need not connect an account first. */
export function describeAlias(catalog: Catalog, surface: Surface, alias: string, reader: SurfaceReader): DescribedAlias {
  const first = surface.find(alias, surface.actions[alias]![0]!)!;
  const { integrationName } = first;
  const connected = catalog.get(integrationName).auth === null || isConnected(first, reader.connections);
  return { alias, integrationName, displayName: displayNameOf(catalog, first), connected };
}

/** The display name of a tool's integration in the workspace. */
export function displayNameOf(catalog: Catalog, { integrationName, instance }: SurfaceTool): string {
  return instance?.displayName ?? catalog.get(integrationName).displayName;
}

/** Whether `resolveConnection` would probably find an account, by the loaded connections. */
function isConnected({ integrationName, instance, tool }: SurfaceTool, connections: readonly Connected[]): boolean {
  const usable = connections.filter((one) => one.integrationName === integrationName);
  const hasOwn = usable.some(
    ({ isOwn, workspaceIntegrationId }) =>
      isOwn && (!instance || workspaceIntegrationId === null || workspaceIntegrationId === instance.id),
  );
  if (tool.connectionId !== null)
    return instance?.connectionStrategy !== 'per_user' || usable.some(({ id, isOwn }) => isOwn && id === tool.connectionId);
  if (!instance) return hasOwn || usable.filter(({ isOwn }) => !isOwn).length === 1;
  return (
    (instance.connectionStrategy !== 'per_user' && instance.connectionId !== null) || (instance.connectionStrategy !== 'fixed' && hasOwn)
  );
}

/** True if a call of the tool by the reader may need approval. */
export function mayWait({ alias, action, instance }: SurfaceTool, reader: SurfaceReader): boolean {
  const { workspaceId, mcpServerId, endUserId, policies } = reader;
  return mayNeedApproval(policies, {
    ...{ workspaceId, source: 'mcp_code', mcpServerId, endUserId },
    workspaceIntegrationId: instance?.id ?? null,
    integrationName: action.integrationName,
    integrationAlias: alias,
    actionName: action.name,
    connectionStrategy: instance?.connectionStrategy ?? null,
  });
}
