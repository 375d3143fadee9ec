import type { EndUser } from '../../../../domain/end-user.ts';
import { hasRole } from '../../../../domain/member.ts';
import { pageConnections } from '../../../../store/connections.ts';
import { countDependents } from '../../../../store/dependents.ts';
import { listTokensOfEndUser } from '../../../../store/mcp-tokens.ts';
import { findWorkspace } from '../../../../store/workspaces.ts';
import { CONNECTIONS, STATUS_CELLS } from '../connections/connection-cells.ts';
import { amount } from '../consequences.ts';
import { partView, timeCell } from '../list.ts';
import type { Act, RecordSpec } from '../record-page.ts';
import type { Visit } from '../screen.ts';
import { PEOPLE } from './person-of.ts';

const SHOWN = 50;

/** The page of a person, without the settings form. */
export async function describePerson(visit: Visit, person: EndUser): Promise<Omit<RecordSpec, 'form'>> {
  const { gateway, member } = visit;
  const { id, orgId, workspaceId, externalId } = person;
  const own = { orgId, workspaceIds: [workspaceId], endUserExternalId: externalId };
  const [workspace, connections, tokens, counts] = await Promise.all([
    findWorkspace(gateway.db, orgId, workspaceId),
    pageConnections(gateway.db, own, { limit: SHOWN, offset: 0 }),
    listTokensOfEndUser(gateway.db, id, SHOWN),
    countDependents(gateway.db, orgId, { kind: 'endUser', id, names: ['waiting'] }),
  ]);
  const catalog = await gateway.catalog.of(
    orgId,
    connections.items.map(({ integrationName }) => integrationName),
  );
  const mayManage = hasRole(member.role, 'admin');
  return {
    title: person.displayName ?? externalId,
    facts: [
      { name: 'Workspace', cell: { href: `/workspaces/${workspaceId}`, text: workspace?.name ?? '–' } },
      { name: 'External id', cell: externalId },
      { name: 'E-mail', cell: person.email ?? '–' },
      { name: 'Last 7 days', cell: amount(counts.uses, 'call') || 'No calls' },
      { name: 'Waiting', cell: amount(counts.waiting, 'approval') || 'Nothing waits' },
      { name: 'Created', cell: timeCell(person.createdAt) },
    ],
    acts: mayManage ? actsOf(person) : [],
    parts: [
      {
        name: 'Accounts',
        list: partView(visit, {
          ...{ name: 'Accounts', plural: 'accounts', about: 'With a connect link, this person can connect accounts.' },
          columns: ['Name', 'Integration', 'Status', 'Connected'],
          rows: connections.items.map(({ id: connection, displayName, integrationName, status, createdAt }) => [
            { href: `${CONNECTIONS}/${connection}`, text: displayName },
            catalog.find(integrationName)?.displayName ?? integrationName,
            STATUS_CELLS[status],
            timeCell(createdAt),
          ]),
        }),
      },
      {
        name: 'Access',
        about: 'MCP clients that can act for this person now. To end their access, open the page of the MCP server.',
        list: partView(visit, {
          ...{ name: 'Access', plural: 'MCP clients', about: 'A client gets access when this person signs in, or with a token.' },
          columns: ['Client', 'MCP server', 'Last used', 'Ends'],
          rows: tokens.map(({ clientName, tokenPrefix, serverId, serverName, lastUsedAt, expiresAt }) => [
            clientName ?? `${tokenPrefix}…`,
            { href: `/servers/${serverId}`, text: serverName },
            lastUsedAt ? timeCell(lastUsedAt) : 'Never',
            expiresAt ? timeCell(expiresAt) : 'Never',
          ]),
        }),
      },
    ],
    ending: mayManage ? { label: 'Delete', href: `${PEOPLE}/${id}/delete` } : undefined,
  };
}

function actsOf({ id, email }: EndUser): Act[] {
  const invite = { label: 'Invite' } as const;
  return [
    { label: 'Make a connect link', action: `${PEOPLE}/${id}/connect-link` },
    email
      ? { ...invite, action: `${PEOPLE}/${id}/invite` }
      : { ...invite, because: 'To invite this person, enter their e-mail address below.' },
  ];
}
