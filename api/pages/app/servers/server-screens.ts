import { createMcpServer } from '../../../../commands/mcp-servers/create-mcp-server.ts';
import { updateMcpServer } from '../../../../commands/mcp-servers/update-mcp-server.ts';
import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import type { McpServer } from '../../../../domain/mcp-server.ts';
import { hasRole } from '../../../../domain/member.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { listLastUses } from '../../../../store/mcp-tokens.ts';
import { uuid } from '../../../schemas.ts';
import { mcpEndpoint } from '../../../v1/mcp/servers/present.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { type Cell, type Filter, listView, nextPageOf, pageOf, readFilter, timeCell } from '../list.ts';
import type { Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces, workspaceNames } from '../workspace-names.ts';
import { AUTH_NAMES, MODE_NAMES, SERVER_BLAMES, serverFields, serverForm, serverValues } from './server-fields.ts';
import { getServer, SERVERS } from './server-of.ts';
import { serverSpec } from './server-page.ts';
import { tokenPage } from './token-page.ts';

const NAME: Filter = { label: 'Name' };

/** Screens that list, create, show and change MCP servers. */
export const serverScreens: readonly Screen[] = [
  {
    ...{ path: SERVERS, role: 'viewer', navigation: 'MCP servers' },
    get: async (visit) => {
      const { gateway, member, workspaceId } = visit;
      const page = pageOf(visit.query);
      const named = readFilter(visit.query, NAME);
      const filter = { orgId: member.orgId, includeSuspended: true, name: named, ...(workspaceId && { workspaceIds: [workspaceId] }) };
      const { items, total } = await listMcpServers(gateway.db, filter, page);
      const [ids, places] = [items.map(({ id }) => id), items.map((server) => server.workspaceId)];
      const [uses, workspaces] = await Promise.all([listLastUses(gateway.db, ids), namesOfWorkspaces(visit, places)]);
      const list = listView(visit, {
        ...{ name: 'MCP servers', plural: 'servers', about: 'Agents use the tools of a workspace through an MCP server.' },
        columns: ['Name', 'Workspace', 'Mode', 'Sign-in', 'Endpoint', 'Last used'],
        filters: [NAME],
        rows: items.map((server) => rowOf(visit, server, workspaces.get(server.workspaceId), uses.get(server.id))),
        create: hasRole(member.role, 'admin') ? { href: `${SERVERS}/new`, label: 'New server' } : undefined,
        nextPage: nextPageOf(page, total),
      });
      return { title: 'MCP servers', template: 'layout/list-page', data: { title: 'MCP servers', list } };
    },
  },
  {
    ...{ path: `${SERVERS}/new`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => formPage(newSpec(visit, await workspaceNames(visit))),
    post: async (visit) => {
      const { gateway, principal, form } = visit;
      const schema = serverForm.extend({ workspaceId: uuid });
      return submitForm(newSpec(visit, await workspaceNames(visit)), schema, form, async ({ workspaceId, ...fields }) => {
        const { orgId, id } = await getWorkspace(gateway, principal, workspaceId);
        const place = { orgId, workspaceId: id, createdBy: principal.name };
        const { server, bearerToken } = await createMcpServer(gateway, actorOf(principal), { ...place, ...serverValues(fields) });
        if (bearerToken !== undefined) return tokenPage(visit, server, bearerToken, 'created');
        return { seeOther: `${SERVERS}/${server.id}`, done: `${server.name} is created.` };
      });
    },
  },
  {
    ...{ path: `${SERVERS}/{id}`, role: 'viewer', navigation: 'MCP servers' },
    get: async (visit) => formPage(await serverSpec(visit, await getServer(visit))),
  },
  {
    ...{ path: `${SERVERS}/{id}/settings`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => ({ seeOther: `${SERVERS}/${(await getServer(visit)).id}` }),
    post: async (visit) => {
      const current = await getServer(visit);
      return submitForm(await serverSpec(visit, current), serverForm, visit.form, async (fields) => {
        const { server, bearerToken } = await updateMcpServer(
          visit.gateway,
          actorOf(visit.principal),
          current,
          serverValues(fields, current.settings),
        );
        if (bearerToken !== undefined) return tokenPage(visit, server, bearerToken, 'static');
        return { seeOther: `${SERVERS}/${server.id}`, done: `${server.name} is saved.` };
      });
    },
  },
];

function rowOf({ gateway }: Visit, server: McpServer, workspace: string | undefined, lastUse: Date | undefined): Cell[] {
  const { id, name, mode, authMode, suspendedAt } = server;
  return [
    { href: `${SERVERS}/${id}`, text: name },
    workspace ?? '–',
    MODE_NAMES[mode],
    AUTH_NAMES[authMode],
    suspendedAt ? { state: 'Suspended', tone: 'bad' } : mcpEndpoint(server, gateway.config.baseUrl),
    lastUse ? timeCell(lastUse) : 'Never',
  ];
}

function newSpec({ workspaceId }: Visit, workspaces: Map<string, string>): FormSpec {
  const { first, others } = serverFields();
  const options = [...workspaces].map(([value, label]) => ({ value, label }));
  const hint = 'The server offers the integrations of this workspace.';
  return {
    title: 'New server',
    fields: [first, { name: 'workspaceId', label: 'Workspace', kind: 'select', options, hint, value: workspaceId ?? '' }, ...others],
    button: 'Create server',
    cancel: SERVERS,
    blames: { ...SERVER_BLAMES, NOT_FOUND: { field: 'workspaceId', problem: 'is not one of your workspaces' } },
  };
}
