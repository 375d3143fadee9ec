import type { Connection } from '../../domain/connection.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Identity } from '../../domain/oauth/sign-in.ts';
import { findConnection, pageConnections } from '../../store/connections.ts';
import { type EndUserOfIdentity, listEndUsersOfIdentity } from '../../store/identities.ts';
import { deleteGrant, type ListedGrant, listGrants } from '../../store/oauth-records.ts';
import { removeConnection } from '../connections/delete-connection.ts';
import type { Gateway } from '../gateway.ts';

/** A workspace of a signed-in person, with the person's end user, connections and grants. */
export interface PlaceOfAccount {
  endUser: EndUserOfIdentity;
  connections: Connection[];
  grants: ListedGrant[];
}

const MAX_CONNECTIONS = 100;

/**
 * The workspaces of a signed-in person, each with at most `MAX_CONNECTIONS` connections (contract
 * decisions 8, Account page).
 */
export async function readAccount({ db }: Pick<Gateway, 'db'>, identity: Identity): Promise<PlaceOfAccount[]> {
  const [endUsers, grants] = await Promise.all([listEndUsersOfIdentity(db, identity), listGrants(db, identity.id)]);
  return Promise.all(
    endUsers.map(async (endUser) => {
      const filter = { orgId: endUser.orgId, workspaceIds: [endUser.workspaceId], endUserExternalId: endUser.externalId };
      const { items } = await pageConnections(db, filter, { limit: MAX_CONNECTIONS, offset: 0 });
      return { endUser, connections: items, grants: grants.filter(({ workspaceId }) => workspaceId === endUser.workspaceId) };
    }),
  );
}

/** Deletes a connection of this person. Throws NOT_FOUND for a connection of anyone else. */
export async function disconnectOwn(gateway: Gateway, identity: Identity, connectionId: string): Promise<void> {
  const { connection, endUser } = await findOwn(gateway, identity, connectionId);
  const by = { type: 'end_user', id: endUser.externalId } as const;
  await removeConnection(gateway, by, connection, 'The end user disconnected the account.');
}

/**
 * A connection of this person, and the end user that owns it. Throws NOT_FOUND for a connection of
 * anyone else.
 */
export async function findOwn({ db }: Pick<Gateway, 'db'>, identity: Identity, connectionId: string) {
  for (const endUser of await listEndUsersOfIdentity(db, identity)) {
    const connection = await findConnection(db, endUser.orgId, connectionId);
    const isOwn = connection?.workspaceId === endUser.workspaceId && connection.endUserExternalId === endUser.externalId;
    if (isOwn) return { endUser, connection };
  }
  throw new GatewayError('NOT_FOUND', 'There is no such account.');
}

/**
 * Revokes a grant of this person. Its tokens stop working immediately. Throws NOT_FOUND for a grant
 * of another person.
 */
export async function revokeOwnGrant({ db }: Pick<Gateway, 'db'>, identity: Identity, grantId: string): Promise<void> {
  const isOwn = (await listGrants(db, identity.id)).some((grant) => grant.grantId === grantId);
  if (!isOwn) throw new GatewayError('NOT_FOUND', 'There is no such access.');
  await db.transaction((tx) => deleteGrant(tx, grantId));
}
