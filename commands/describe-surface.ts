import { mayNeedApproval } from '../domain/match-policies.ts';
import type { PolicySet } from '../domain/policy-set.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Connected } from '../store/usable-connections.ts';
import type { SearchedAction, SearchedIntegration } from './search-actions.ts';
import type { Surface, SurfaceTool } from './surface-cache.ts';

/** Who would call, for saying which calls may have to wait for a person. */
export interface SurfaceReader {
  workspaceId: string;
  mcpServerId: string;
  endUserId: string | null;
  policies: PolicySet;
  /** Integrations for which the reader has a usable connection. */
  connections: readonly Connected[];
}

/** What code on a CODE server can call, one entry an alias, in the order of the server's tools. */
export function describeSurface(catalog: Catalog, surface: Surface, reader: SurfaceReader): SearchedIntegration[] {
  return Object.keys(surface.actions).map((alias) => {
    const tools = surface.actions[alias]!.map((name) => surface.find(alias, name)!);
    const { integrationName, instance } = tools[0]!;
    const integration = catalog.get(integrationName);
    return {
      alias,
      integrationName,
      displayName: instance?.displayName ?? integration.displayName,
      connected: integration.auth === null || isConnected(tools[0]!, reader.connections),
      actions: tools.map((tool) => describeTool(tool, reader)),
    };
  });
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

function describeTool({ alias, action, tool, instance, inputSchema, hiddenKeys }: SurfaceTool, reader: SurfaceReader): SearchedAction {
  const { workspaceId, mcpServerId, endUserId, policies } = reader;
  return {
    name: action.name,
    displayName: tool.displayName ?? action.displayName,
    description: tool.description ?? action.description,
    inputSchema,
    outputSchema: action.outputSchema,
    hiddenKeys,
    approval: mayNeedApproval(policies, {
      ...{ workspaceId, source: 'mcp_code', mcpServerId, endUserId },
      workspaceIntegrationId: instance?.id ?? null,
      integrationName: action.integrationName,
      integrationAlias: alias,
      actionName: action.name,
      connectionStrategy: instance?.connectionStrategy ?? null,
    }),
  };
}
