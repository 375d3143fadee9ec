import { serverIdOf } from '../../domain/oauth/oauth.ts';
import { findLinkedEndUser } from '../../store/identities.ts';
import { findGrantId } from '../../store/oauth-records.ts';
import type { Gateway } from '../gateway.ts';
import { findServerOfResource } from './find-server-of-resource.ts';

/**
 * The id of an identity's grant to a client for the MCP server of this resource; undefined if there
 * is none.
 */
export async function findGrantOf(
  { db, config }: Gateway,
  { clientId, identityId, resource }: { clientId: string; identityId: string; resource: string },
): Promise<string | undefined> {
  const serverId = serverIdOf(config.baseUrl, resource);
  return serverId === undefined ? undefined : findGrantId(db, clientId, identityId, serverId);
}

/** True if an identity is linked to an end user who may use the MCP server of this resource. */
export async function mayStillAct(gateway: Gateway, identityId: string, resource: string): Promise<boolean> {
  const server = await findServerOfResource(gateway, resource);
  if (!server) return false;
  const linked = await findLinkedEndUser(gateway.db, identityId, server.workspaceId);
  return linked !== undefined && (server.endUserId === null || server.endUserId === linked.endUserId);
}
