import type { Connection } from '../../../../domain/connection.ts';
import { hasRole } from '../../../../domain/member.ts';
import type { Workspace } from '../../../../domain/workspace.ts';
import type { WorkspaceIntegration } from '../../../../domain/workspace-integration.ts';
import type { CatalogIntegration } from '../../../../integrations/catalog.ts';
import { listConnections, pageConnections } from '../../../../store/connections.ts';
import { countDependents } from '../../../../store/dependents.ts';
import { listEndUsers } from '../../../../store/end-users.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { listWorkspaceIntegrations } from '../../../../store/workspace-integrations.ts';
import { CONNECTIONS, STATUS_CELLS } from '../connections/connection-cells.ts';
import { amount } from '../consequences.ts';
import { STRATEGY_NAMES } from '../integrations/integration-words.ts';
import { type Cell, partView, timeCell } from '../list.ts';
import type { RecordPart, RecordSpec } from '../record-page.ts';
import type { Visit } from '../screen.ts';
import { WORKSPACES } from './workspace-of.ts';

const SHOWN = { limit: 10, offset: 0 };

/** The facts of a workspace, and parts that list its records. */
export async function workspaceParts(visit: Visit, workspace: Workspace): Promise<Pick<RecordSpec, 'facts'> & { parts: RecordPart[] }> {
  const { gateway, member } = visit;
  const { id, orgId } = workspace;
  const [instances, servers, people, connections, counts] = await Promise.all([
    listWorkspaceIntegrations(gateway.db, orgId, id),
    listMcpServers(gateway.db, { orgId, workspaceIds: [id], includeSuspended: true }, SHOWN),
    listEndUsers(gateway.db, { orgId, workspaceId: id }, SHOWN),
    pageConnections(gateway.db, { orgId, workspaceIds: [id] }, SHOWN),
    countDependents(gateway.db, orgId, { kind: 'workspace', id, names: ['waiting', 'policies'] }),
  ]);
  const catalog = await gateway.catalog.of(
    orgId,
    [...instances, ...connections.items].map(({ integrationName }) => integrationName),
  );
  const nameOf = (integration: string) => catalog.find(integration)?.displayName ?? integration;
  const fixed = await listConnections(
    gateway.db,
    orgId,
    instances.flatMap(({ connectionId }) => connectionId ?? []),
  );
  const accounts = new Map(fixed.map((connection) => [connection.id, connection]));
  const mayManage = hasRole(member.role, 'admin');
  const inIt = `?workspace=${id}`;
  const link = (label: string, href: string) => (mayManage ? [{ label, href }] : []);
  const all = (label: string, path: string, total: number) =>
    total > SHOWN.limit ? [{ label: `${label}, ${total.toLocaleString('en')}`, href: path + inIt }] : [];
  return {
    facts: [
      { name: 'Slug', cell: workspace.slug },
      { name: 'Last 7 days', cell: amount(counts.uses, 'call') || 'No calls' },
      { name: 'Waiting', cell: { href: `/approvals${inIt}`, text: amount(counts.waiting, 'approval') || 'Nothing waits' } },
      { name: 'Policies', cell: { href: `/policies${inIt}`, text: amount(counts.policies, 'policy', 'policies') || 'None of its own' } },
      { name: 'Created', cell: timeCell(workspace.createdAt) },
    ],
    parts: [
      {
        name: 'Integrations',
        list: partView(visit, {
          ...{ name: 'Integrations', plural: 'integrations', about: 'Tools of an integration appear on all MCP servers of the workspace.' },
          columns: ['Name', 'Alias', 'Accounts', 'Status'],
          rows: instances.map((instance) =>
            instanceRow(instance, catalog.find(instance.integrationName), accounts.get(instance.connectionId ?? '')),
          ),
        }),
        acts: link('Add an integration', `/integrations${inIt}`),
      },
      {
        name: 'MCP servers',
        list: partView(visit, {
          ...{ name: 'MCP servers', plural: 'MCP servers', about: 'Agents reach the tools of the workspace through an MCP server.' },
          columns: ['Name', 'Mode', 'Created'],
          rows: servers.items.map(({ id: server, name, mode, createdAt }) => [
            { href: `/servers/${server}`, text: name },
            mode === 'CODE' ? 'Code' : 'Tools',
            timeCell(createdAt),
          ]),
        }),
        acts: [...link('New server', `/servers/new${inIt}`), ...all('All MCP servers', '/servers', servers.total)],
      },
      {
        name: 'People',
        list: partView(visit, {
          ...{ name: 'People', plural: 'people', about: 'Agents act for people. Each person has their own accounts.' },
          columns: ['Name', 'External id', 'Accounts'],
          rows: people.items.map(({ id: person, displayName, externalId, connectionCount }) => [
            { href: `/people/${person}`, text: displayName ?? externalId },
            externalId,
            String(connectionCount),
          ]),
        }),
        acts: [...link('New person', `/people/new${inIt}`), ...all('All people', '/people', people.total)],
      },
      {
        name: 'Connections',
        about: 'Accounts that calls in this workspace can use, including those of the whole organization.',
        list: partView(visit, {
          ...{ name: 'Connections', plural: 'connections', about: 'An account at a third party, such as a mailbox.' },
          columns: ['Name', 'Integration', 'Status'],
          rows: connections.items.map(({ id: connection, displayName, integrationName, status }) => [
            { href: `${CONNECTIONS}/${connection}`, text: displayName },
            nameOf(integrationName),
            STATUS_CELLS[status],
          ]),
        }),
        acts: [...link('Connect an account', `${CONNECTIONS}/new${inIt}`), ...all('All connections', CONNECTIONS, connections.total)],
      },
    ],
  };
}

function instanceRow(
  instance: WorkspaceIntegration,
  integration: Pick<CatalogIntegration, 'displayName' | 'auth'> | undefined,
  account: Pick<Connection, 'id' | 'displayName' | 'status'> | undefined,
): Cell[] {
  const { workspaceId, alias, displayName, connectionStrategy, enabledActions } = instance;
  const isOff = enabledActions?.length === 0;
  const name = integration?.displayName ?? instance.integrationName;
  const whose = integration?.auth === null ? 'None needed' : STRATEGY_NAMES[connectionStrategy];
  return [
    {
      href: `${WORKSPACES}/${workspaceId}/integrations/${alias}`,
      text: displayName ?? name,
      ...(displayName && { hint: name }),
    },
    alias,
    account ? { href: `${CONNECTIONS}/${account.id}`, text: account.displayName } : whose,
    isOff ? { state: 'Turned off', tone: 'quiet' } : account ? STATUS_CELLS[account.status] : { state: 'On', tone: 'good' },
  ];
}
