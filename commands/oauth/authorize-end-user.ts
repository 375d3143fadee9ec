import { randomUUID } from 'node:crypto';
import { endUserActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { Identity } from '../../domain/oauth/sign-in.ts';
import type { Db } from '../../infra/database.ts';
import { findEndUserByExternalId, insertEndUsers } from '../../store/end-users.ts';
import { findLinkedEndUser, insertIdentityLink, type LinkedEndUser, listEndUsersByEmail } from '../../store/identities.ts';
import { activityRow } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/** Why a signed-in person may not use an MCP server. */
export type Refusal = 'unknown' | 'ambiguous' | 'other-end-user';

/** `isNew`: the consent will create the end user. */
export type EndUserOfSignIn = { endUser: LinkedEndUser } | { isNew: true } | { refusal: Refusal };

/**
 * Finds the end user of a signed-in person in the workspace of an MCP server (specification 2.2):
 * the linked one, or else the only one with the person's e-mail address. Changes nothing.
 */
export async function findEndUserOfSignIn(db: Db, server: McpServer, identity: Identity): Promise<EndUserOfSignIn> {
  const linked = await findLinkedEndUser(db, identity.id, server.workspaceId);
  if (linked) return judge(server, linked);
  const [found, another] = await listEndUsersByEmail(db, server.workspaceId, identity.email);
  if (found && !another) return judge(server, found);
  if (server.endUserAccess === 'open' && server.endUserId === null) return { isNew: true };
  return { refusal: another ? 'ambiguous' : 'unknown' };
}

function judge(server: McpServer, endUser: LinkedEndUser): EndUserOfSignIn {
  return server.endUserId === null || server.endUserId === endUser.endUserId ? { endUser } : { refusal: 'other-end-user' };
}

/**
 * Finds or creates the end user when the person consents, and links the identity. Throws NOT_FOUND
 * if the workspace is gone.
 */
export async function authorizeEndUser(
  { db }: Pick<Gateway, 'db'>,
  server: McpServer,
  identity: Identity,
): Promise<{ endUser: LinkedEndUser } | { refusal: Refusal }> {
  const found = await findEndUserOfSignIn(db, server, identity);
  if ('refusal' in found) return found;
  const { orgId, workspaceId } = server;
  const endUser = 'endUser' in found ? found.endUser : await createEndUser(db, server, identity);
  await insertIdentityLink(db, { identityId: identity.id, orgId, workspaceId, endUserId: endUser.endUserId });
  // If two sign-ins are concurrent, the first link counts.
  return { endUser: (await findLinkedEndUser(db, identity.id, workspaceId)) ?? endUser };
}

/** The external id is the e-mail address or, if taken, an id made from the identity. */
async function createEndUser(db: Db, { orgId, workspaceId }: McpServer, { id, email }: Identity): Promise<LinkedEndUser> {
  const insert = async (externalId: string) => {
    const endUser = { ...{ id: randomUUID(), orgId, workspaceId, externalId }, ...{ displayName: null, email, metadata: {} } };
    const created = endUserActivity('end_user.created', endUser, { type: 'end_user', id: externalId });
    const [inserted] = await insertEndUsers(db, [{ endUser, event: activityRow(created) }]);
    return inserted;
  };
  const ownId = `identity:${id}`;
  // A concurrent consent may have inserted an end user with `ownId`.
  const created = (await insert(email)) ?? (await insert(ownId)) ?? (await findEndUserByExternalId(db, orgId, workspaceId, ownId));
  if (!created) throw new GatewayError('NOT_FOUND', 'The workspace of this server is gone.');
  return { endUserId: created.id, externalId: created.externalId };
}
