import type { Db } from '../../infra/database.ts';
import { insertMissingMcpTools } from '../../store/mcp-tools.ts';
import { raiseSurfaceVersion } from '../../store/workspaces.ts';
import { knownIntegrations } from './known-integrations.ts';

/** Gives an MCP server `count` tools, with aliases such as `slack-1` and `slack-2`. */
export async function addManyTools(db: Db, server: { orgId: string; workspaceId: string; serverId: string }, count: number): Promise<void> {
  const actions = knownIntegrations().flatMap(({ name: integrationName, actions }) =>
    [...actions.keys()].map((actionName) => ({ integrationName, actionName })),
  );
  const tools = Array.from({ length: count }, (_, n) => {
    const { integrationName, actionName } = actions[n % actions.length]!;
    const integrationAlias = `${integrationName}-${Math.floor(n / actions.length) + 1}`;
    return { ...TOOL, ...server, integrationName, integrationAlias, actionName };
  });
  await insertMissingMcpTools(db, tools);
  await raiseSurfaceVersion(db, server.workspaceId);
}

const TOOL = {
  ...{ connectionId: null, displayName: null, description: null, inputDefaults: null },
  ...{ partialIds: [], sortOrder: 0, sourceWorkspaceIntegrationId: null },
};
