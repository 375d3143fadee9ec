import { nameOfPerson } from '../../../../domain/person.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { listMembers } from '../../../../store/memberships.ts';
import { integrationNames } from '../integrations/integration-names.ts';
import type { Visit } from '../screen.ts';
import { serverNames } from '../servers/server-names.ts';
import { workspaceNames } from '../workspace-names.ts';

/** Names by id. */
export interface PolicyChoices {
  workspaces: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
  /** Ids of the members who decide nothing. */
  viewers: ReadonlySet<string>;
  servers: ReadonlyMap<string, string>;
  integrations: ReadonlyMap<string, string>;
}

const MAX_SERVERS = 1000;

export async function policyChoices(visit: Visit): Promise<PolicyChoices> {
  const { gateway, member } = visit;
  const { orgId } = member;
  const [workspaces, members, servers, integrations] = await Promise.all([
    workspaceNames(visit),
    listMembers(gateway.db, orgId),
    listMcpServers(gateway.db, { orgId, includeSuspended: true }, { limit: MAX_SERVERS, offset: 0 }),
    integrationNames(visit),
  ]);
  return {
    workspaces,
    members: new Map(members.map((one) => [one.id, nameOfPerson(one)])),
    viewers: new Set(members.filter(({ role }) => role === 'viewer').map(({ id }) => id)),
    servers: await serverNames(visit, servers.items),
    integrations,
  };
}
