import type { EndUser } from '../../domain/end-user.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { findEndUser, findEndUserByExternalId } from '../../store/end-users.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the end user that a token request names, by external or internal id (contract decisions 4).
 * Throws END_USER_NOT_FOUND, and VALIDATION_ERROR if `named` matches two end users.
 */
export async function findTokenEndUser(db: Db, server: McpServer, named: string): Promise<EndUser> {
  const [byExternalId, byId] = await Promise.all([
    findEndUserByExternalId(db, server.orgId, server.workspaceId, named),
    UUID.test(named) ? findEndUserOfWorkspace(db, server, named) : undefined,
  ]);
  if (byExternalId && byId && byExternalId.id !== byId.id) {
    const message = 'is the external id of one end user and the internal id of another: send the other id of the end user that you mean';
    throw validationError([{ path: 'endUserId', message }]);
  }
  const endUser = byExternalId ?? byId;
  if (!endUser) throw new GatewayError('END_USER_NOT_FOUND', 'The workspace of this server has no such end user.');
  if (server.endUserId !== null && server.endUserId !== endUser.id)
    throw new GatewayError('END_USER_NOT_FOUND', 'This server is scoped to another end user and issues tokens only for that end user.');
  return endUser;
}

async function findEndUserOfWorkspace(db: Db, { orgId, workspaceId }: McpServer, id: string): Promise<EndUser | undefined> {
  const endUser = await findEndUser(db, orgId, id);
  return endUser?.workspaceId === workspaceId ? endUser : undefined;
}
