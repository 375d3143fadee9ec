import type { EndUser } from '../domain/end-user.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import type { Db } from '../infra/database.ts';
import { findEndUser, findEndUserByExternalId } from '../store/end-users.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The end user that a token call names: by external id first, else by internal id (decisions section 4). A value that is the one for one user
 * and the other for another is a VALIDATION_ERROR: both exist, and the caller can name either by its other id. Throws END_USER_NOT_FOUND, also
 * where the server is scoped to another end user.
 */
export async function findTokenEndUser(db: Db, server: McpServer, named: string): Promise<EndUser> {
  const [byExternalId, byId] = await Promise.all([
    findEndUserByExternalId(db, server.orgId, server.workspaceId, named),
    UUID.test(named) ? findEndUserOfWorkspace(db, server, named) : undefined,
  ]);
  if (byExternalId && byId && byExternalId.id !== byId.id) {
    const message = 'is the external id of one end user and the id of another: name the one you mean by its other id';
    throw validationError([{ path: 'endUserId', message }]);
  }
  const endUser = byExternalId ?? byId;
  if (!endUser) throw new GatewayError('END_USER_NOT_FOUND', 'The workspace of this server has no such end user.');
  if (server.endUserId !== null && server.endUserId !== endUser.id)
    throw new GatewayError('END_USER_NOT_FOUND', 'This server is scoped to another end user, and issues tokens for that one alone.');
  return endUser;
}

async function findEndUserOfWorkspace(db: Db, { orgId, workspaceId }: McpServer, id: string): Promise<EndUser | undefined> {
  const endUser = await findEndUser(db, orgId, id);
  return endUser?.workspaceId === workspaceId ? endUser : undefined;
}
