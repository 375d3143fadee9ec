import type { McpServer } from '../../../../domain/mcp-server.ts';
import { listWorkspaces } from '../../../../store/workspaces.ts';
import type { Visit } from '../screen.ts';

type Named = Pick<McpServer, 'id' | 'name' | 'workspaceId'>;

/** Distinct shown names of MCP servers, by id. */
export async function serverNames(
  { gateway, member }: Pick<Visit, 'gateway' | 'member'>,
  servers: readonly Named[],
): Promise<Map<string, string>> {
  const isShared = sharedBy(servers, ({ name }) => name);
  const alike = servers.filter(isShared);
  if (alike.length === 0) return new Map(servers.map(({ id, name }) => [id, name]));
  const ids = [...new Set(alike.map(({ workspaceId }) => workspaceId))];
  const { items } = await listWorkspaces(gateway.db, { orgId: member.orgId, ids }, { limit: ids.length, offset: 0 });
  const workspaces = new Map(items.map((workspace) => [workspace.id, workspace]));
  const workspaceOf = ({ workspaceId }: Named) => workspaces.get(workspaceId);
  const withWorkspace = (server: Named) => `${server.name}, in ${workspaceOf(server)?.name ?? 'a deleted workspace'}`;
  const isStillShared = sharedBy(alike, withWorkspace);
  const nameOf = (server: Named) => {
    if (!isShared(server)) return server.name;
    const slug = isStillShared(server) && workspaceOf(server)?.slug;
    return slug ? `${withWorkspace(server)} (${slug})` : withWorkspace(server);
  };
  return new Map(servers.map((server) => [server.id, nameOf(server)]));
}

function sharedBy(servers: readonly Named[], wordsOf: (server: Named) => string): (server: Named) => boolean {
  const counts = new Map<string, number>();
  for (const server of servers) counts.set(wordsOf(server), (counts.get(wordsOf(server)) ?? 0) + 1);
  return (server) => counts.get(wordsOf(server))! > 1;
}
