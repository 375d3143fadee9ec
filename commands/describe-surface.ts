import { mayNeedApproval } from '../domain/match-policies.ts';
import type { PolicySet } from '../domain/policy-set.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Connected } from '../store/usable-connections.ts';
import type { Surface, SurfaceTool } from './surface-cache.ts';

/** Who would call, for saying which calls may have to wait for a person, and which need an account first. */
export interface SurfaceReader {
  workspaceId: string;
  mcpServerId: string;
  endUserId: string | null;
  policies: PolicySet;
  /** Integrations for which the reader has a usable connection. */
  connections: readonly Connected[];
}

export interface DescribedAlias {
  alias: string;
  integrationName: string;
  displayName: string;
  connected: boolean;
}

/** What an alias stands for, and whether the reader can call it without connecting an account first. */
export function describeAlias(catalog: Catalog, surface: Surface, alias: string, reader: SurfaceReader): DescribedAlias {
  const first = surface.find(alias, surface.actions[alias]![0]!)!;
  const { integrationName } = first;
  const connected = catalog.get(integrationName).auth === null || isConnected(first, reader.connections);
  return { alias, integrationName, displayName: displayNameOf(catalog, first), connected };
}

/** What people call the configured integration of a tool. */
export function displayNameOf(catalog: Catalog, { integrationName, instance }: SurfaceTool): string {
  return instance?.displayName ?? catalog.get(integrationName).displayName;
}

/** The rules of resolveConnection, on what is known without asking for each alias. */
function isConnected({ integrationName, instance, tool }: SurfaceTool, connections: readonly Connected[]): boolean {
  const usable = connections.filter((one) => one.integrationName === integrationName);
  const hasOwn = usable.some(
    ({ isOwn, workspaceIntegrationId }) =>
      isOwn && (!instance || workspaceIntegrationId === null || workspaceIntegrationId === instance.id),
  );
  if (tool.connectionId !== null) return true;
  if (!instance) return hasOwn || usable.filter(({ isOwn }) => !isOwn).length === 1;
  return (
    (instance.connectionStrategy !== 'per_user' && instance.connectionId !== null) || (instance.connectionStrategy !== 'fixed' && hasOwn)
  );
}

/** Whether a call of the reader may have to wait for a person. */
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
