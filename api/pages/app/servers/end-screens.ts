import { deleteMcpServer } from '../../../../commands/mcp-servers/delete-mcp-server.ts';
import { resumeMcpServer, suspendMcpServer } from '../../../../commands/mcp-servers/suspend-mcp-server.ts';
import type { McpServer } from '../../../../domain/mcp-server.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listLastUses } from '../../../../store/mcp-tokens.ts';
import { showTime } from '../../layout/show-time.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { getServer, SERVERS } from './server-of.ts';

/** Screens that suspend, resume and delete an MCP server. */
export const serverEndScreens: readonly Screen[] = [
  {
    ...{ path: `${SERVERS}/{id}/suspend`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => suspensionPage(visit, await getServer(visit)),
    post: async (visit) => {
      const { id, name } = await getServer(visit);
      await suspendMcpServer(visit.gateway.db, actorOf(visit.principal), id);
      return { seeOther: `${SERVERS}/${id}`, done: `${name} is suspended.` };
    },
  },
  {
    ...{ path: `${SERVERS}/{id}/resume`, role: 'admin', navigation: 'MCP servers' },
    post: async (visit) => {
      const { id, name } = await getServer(visit);
      await resumeMcpServer(visit.gateway.db, actorOf(visit.principal), id);
      return { seeOther: `${SERVERS}/${id}`, done: `${name} works again.` };
    },
  },
  {
    ...{ path: `${SERVERS}/{id}/delete`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => deletionPage(visit, await getServer(visit)),
    post: async (visit) => {
      const server = await getServer(visit);
      await deleteMcpServer(visit.gateway, actorOf(visit.principal), server);
      return { seeOther: SERVERS, done: `${server.name} is deleted.` };
    },
  },
];

async function useOf({ gateway }: Visit, { id }: McpServer): Promise<string> {
  const at = (await listLastUses(gateway.db, [id])).get(id);
  return at ? `One of its tokens was last used on ${showTime(at).words}.` : 'None of its tokens was ever used.';
}

async function suspensionPage(visit: Visit, server: McpServer): Promise<AppPage> {
  const consequences = [await useOf(visit, server), ...(await consequencesOf(visit, 'suspendedServer', server.id))];
  return confirmPage({ question: `Suspend ${server.name}?`, consequences, button: 'Suspend server', back: `${SERVERS}/${server.id}` });
}

async function deletionPage(visit: Visit, server: McpServer): Promise<AppPage> {
  const consequences = [await useOf(visit, server), ...(await consequencesOf(visit, 'mcpServer', server.id))];
  return confirmPage({ question: `Delete ${server.name}?`, consequences, button: 'Delete server', back: `${SERVERS}/${server.id}` });
}
