import { GatewayError } from '../domain/errors.ts';
import { assertOrgWide, assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { findConnection, type ListedConnection } from '../store/connections.ts';
import type { Gateway } from './gateway.ts';

/**
 * The connection of that id, if the key may see it; organization-wide ones every key that reaches some workspace may, because its calls
 * may use them. Throws CONNECTION_NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED.
 */
export async function getConnection(gateway: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<ListedConnection> {
  const connection = await findConnection(gateway.db, principal.orgId, id);
  if (!connection) throw new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection.');
  const reachesNothing = principal.workspaceIds.length === 0;
  if (connection.workspaceId !== null) assertWorkspace(principal, connection.workspaceId);
  else if (reachesNothing) assertOrgWide(principal);
  return connection;
}
