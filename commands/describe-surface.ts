import { mayNeedApproval } from '../domain/match-policies.ts';
import type { Policy } from '../domain/policy.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { SearchedAction, SearchedIntegration } from './search-actions.ts';
import type { Surface, SurfaceTool } from './surface-cache.ts';

/** Who would call, for saying which calls may have to wait for a person. */
export interface SurfaceReader {
  workspaceId: string;
  mcpServerId: string;
  endUserId: string | null;
  policies: readonly Policy[];
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
      connected: integration.auth === null || (instance?.connectionId ?? null) !== null,
      actions: tools.map((tool) => describeTool(tool, reader)),
    };
  });
}

function describeTool({ alias, action, tool, instance, inputSchema, defaults }: SurfaceTool, reader: SurfaceReader): SearchedAction {
  const { workspaceId, mcpServerId, endUserId, policies } = reader;
  return {
    name: action.name,
    displayName: tool.displayName ?? action.displayName,
    description: tool.description ?? action.description,
    inputSchema,
    outputSchema: action.outputSchema,
    hiddenKeys: Object.keys(defaults ?? {}),
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
