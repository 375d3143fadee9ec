import type { PlaceOfAccount } from '../../../commands/oauth/account.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { type ConnectionState, stateOf } from '../layout/connection-state.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** One workspace on the account page. */
export interface PlaceView {
  workspace: string;
  accounts: { id: string; name: string; state: ConnectionState }[];
  clients: { id: string; name: string; server: string; since: ShownTime }[];
}

/** Presents a workspace. `names` maps client ids to the names that clients gave themselves. */
export function presentAccount(
  catalog: Catalog,
  { endUser, connections, grants }: PlaceOfAccount,
  names: ReadonlyMap<string, string>,
): PlaceView {
  return {
    workspace: endUser.workspaceName,
    accounts: connections.map(({ id, integrationName, displayName, ...health }) => ({
      id,
      name: nameOf(catalog.find(integrationName)?.displayName ?? integrationName, displayName),
      state: stateOf(health),
    })),
    clients: grants.map(({ grantId, clientId, serverName, createdAt }) => ({
      ...{ id: grantId, name: names.get(clientId) ?? clientId, server: serverName, since: showTime(createdAt) },
    })),
  };
}

function nameOf(integration: string, account: string): string {
  return integration === account ? account : `${integration}: ${account}`;
}
