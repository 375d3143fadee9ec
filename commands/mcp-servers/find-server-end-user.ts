import { GatewayError } from '../../domain/errors.ts';
import type { Db } from '../../infra/database.ts';
import { findEndUserByExternalId } from '../../store/end-users.ts';

/**
 * The internal id of the end user to whom an MCP server is scoped; null if `externalId` is null.
 * Throws END_USER_NOT_FOUND.
 */
export async function findServerEndUser(
  db: Db,
  place: { orgId: string; workspaceId: string },
  externalId: string | null,
): Promise<string | null> {
  if (externalId === null) return null;
  const endUser = await findEndUserByExternalId(db, place.orgId, place.workspaceId, externalId);
  if (!endUser) throw new GatewayError('END_USER_NOT_FOUND', 'The workspace has no such end user.');
  return endUser.id;
}
