import { deleteConnection } from '../../../../commands/connections/delete-connection.ts';
import { DEPENDENT_DAYS } from '../../../../domain/impact/dependents.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findConnectionUse } from '../../../../store/connection-use.ts';
import type { ListedConnection } from '../../../../store/connections.ts';
import { listInstancesOfConnection } from '../../../../store/workspace-integrations.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { partView, timeCell } from '../list.ts';
import { recordPage } from '../record-page.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { CONNECTIONS, STATUS_CELLS, troubleOf, whoseCell } from './connection-cells.ts';
import { connectionOf } from './connection-of.ts';

/** Screens that show and disconnect a connection. */
export const connectionScreens: readonly Screen[] = [
  {
    ...{ path: `${CONNECTIONS}/{id}`, role: 'viewer', navigation: 'Connections' },
    get: async (visit) => connectionPage(visit, await connectionOf(visit)),
  },
  {
    ...{ path: `${CONNECTIONS}/{id}/disconnect`, role: 'admin', navigation: 'Connections' },
    get: async (visit) => {
      const { id, displayName } = await connectionOf(visit);
      const consequences = await consequencesOf(visit, 'connection', id);
      return confirmPage({ question: `Disconnect ${displayName}?`, consequences, button: 'Disconnect', back: `${CONNECTIONS}/${id}` });
    },
    post: async (visit) => {
      const { id, displayName } = await connectionOf(visit);
      await deleteConnection(visit.gateway, visit.principal, id);
      return { seeOther: CONNECTIONS, done: `${displayName} is disconnected.` };
    },
  },
];

async function connectionPage(visit: Visit, connection: ListedConnection): Promise<AppPage> {
  const { gateway, member } = visit;
  const { id, orgId, integrationName, displayName, status, externalId, authMethodKey, endUserExternalId } = connection;
  const [integration, uses, instances] = await Promise.all([
    gateway.catalog.find(orgId, integrationName),
    findConnectionUse(gateway.db, orgId, [id], DEPENDENT_DAYS),
    listInstancesOfConnection(gateway.db, orgId, id),
  ]);
  const workspaces = await namesOfWorkspaces(visit, [connection.workspaceId, ...instances.map((one) => one.workspaceId)]);
  const use = uses.get(id);
  const method = integration?.auth?.find(({ key }) => key === authMethodKey);
  const mayManage = hasRole(member.role, 'admin');
  return recordPage({
    title: displayName,
    trouble: troubleOf(connection),
    facts: [
      { name: 'Status', cell: STATUS_CELLS[status] },
      { name: 'Whose', cell: whoseCell(connection, endUserExternalId, workspaces) },
      {
        name: 'Integration',
        cell: integration ? { href: `/integrations/${integrationName}`, text: integration.displayName } : integrationName,
      },
      { name: 'Connected by', cell: method?.displayName ?? authMethodKey },
      { name: 'External id', cell: externalId },
      { name: 'Last use', cell: use ? timeCell(use.lastAt) : `Not in ${DEPENDENT_DAYS} days` },
      {
        name: `Last ${DEPENDENT_DAYS} days`,
        cell: use ? `${use.calls.toLocaleString('en')} ${use.calls === 1 ? 'call' : 'calls'}` : 'No calls',
      },
      { name: 'Connected', cell: timeCell(connection.createdAt) },
    ],
    acts: mayManage && integration?.auth ? [{ label: 'Reconnect', action: `${CONNECTIONS}/${id}/reconnect` }] : [],
    parts: [
      {
        name: 'Used by',
        list: partView(visit, {
          ...{
            name: 'Used by',
            plural: 'integrations with this account',
            about: 'Calls can choose this account by its external id or by its person.',
          },
          columns: ['Workspace', 'Alias'],
          rows: instances.map(({ workspaceId, alias }) => [
            { href: `/workspaces/${workspaceId}/integrations/${alias}`, text: workspaces.get(workspaceId) ?? '–' },
            alias,
          ]),
        }),
      },
    ],
    ending: mayManage ? { label: 'Disconnect', href: `${CONNECTIONS}/${id}/disconnect` } : undefined,
  });
}
