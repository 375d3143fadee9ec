import { CONNECTION_STATUSES, type ConnectionScope, type ConnectionStatus } from '../../../../domain/connection.ts';
import { DEPENDENT_DAYS } from '../../../../domain/impact/dependents.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findConnectionUse } from '../../../../store/connection-use.ts';
import { listConnectedIntegrations, pageConnections } from '../../../../store/connections.ts';
import { type Cell, type Filter, listView, nextPageOf, pageOf, readFilter, timeCell } from '../list.ts';
import type { Screen } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { CONNECTIONS, STATUS_CELLS, troubleOf, whoseCell } from './connection-cells.ts';

const ANY = { value: '', label: 'Any' };
const STATUS: Filter = {
  label: 'Status',
  options: [ANY, ...CONNECTION_STATUSES.map((value) => ({ value, label: STATUS_CELLS[value].state }))],
};
const WHOSE: Filter = {
  label: 'Whose',
  options: [
    ANY,
    { value: 'ORGANIZATION', label: 'The whole organization' },
    { value: 'WORKSPACE', label: 'A workspace' },
    { value: 'USER', label: 'A person' },
  ],
};

/** `/app/connections`: lists accounts at third parties and says why some do not work. */
export const connectionListScreen: Screen = {
  path: CONNECTIONS,
  role: 'viewer',
  navigation: 'Connections',
  get: async (visit) => {
    const { gateway, member, workspaceId, query } = visit;
    const { orgId } = member;
    const names = await listConnectedIntegrations(gateway.db, orgId);
    const catalog = await gateway.catalog.of(orgId, names);
    const nameOf = (name: string) => catalog.find(name)?.displayName ?? name;
    const options = names.map((value) => ({ value, label: nameOf(value) })).sort((a, b) => a.label.localeCompare(b.label, 'en'));
    const integration: Filter = { label: 'Integration', options: [ANY, ...options] };
    const whose = readFilter(query, WHOSE);
    const filter = {
      ...{ orgId, workspaceIds: workspaceId === undefined ? undefined : [workspaceId] },
      integrationName: readFilter(query, integration) || undefined,
      status: (readFilter(query, STATUS) || undefined) as ConnectionStatus | undefined,
      scopes: whose ? [whose as ConnectionScope] : undefined,
    };
    const page = pageOf(query);
    const { items, total } = await pageConnections(gateway.db, filter, page);
    const [ids, places] = [items.map(({ id }) => id), items.map((one) => one.workspaceId)];
    const [uses, workspaces] = await Promise.all([
      findConnectionUse(gateway.db, orgId, ids, DEPENDENT_DAYS),
      namesOfWorkspaces(visit, places),
    ]);
    const list = listView(visit, {
      ...{ name: 'Connections', plural: 'connections', about: 'A connection is an account at a third party. Calls use it.' },
      columns: ['Name', 'Whose', 'Integration', 'Status', 'Last use'],
      filters: [STATUS, integration, WHOSE],
      rows: items.map((connection): Cell[] => {
        const { id, displayName, integrationName, status, endUserExternalId } = connection;
        const hint = troubleOf(connection);
        const lastAt = uses.get(id)?.lastAt;
        return [
          { href: `${CONNECTIONS}/${id}`, text: displayName, ...(hint && { hint }) },
          whoseCell(connection, endUserExternalId, workspaces),
          nameOf(integrationName),
          STATUS_CELLS[status],
          lastAt ? timeCell(lastAt) : `Not in ${DEPENDENT_DAYS} days`,
        ];
      }),
      create: hasRole(member.role, 'admin') ? { href: `${CONNECTIONS}/new`, label: 'Connect an account' } : undefined,
      nextPage: nextPageOf(page, total),
    });
    return { title: 'Connections', template: 'layout/list-page', data: { title: 'Connections', list } };
  },
};
