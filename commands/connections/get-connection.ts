import { GatewayError } from '../../domain/errors.ts';
import { assertOrgWide, assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findConnection, type ListedConnection } from '../../store/connections.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws CONNECTION_NOT_FOUND and SCOPE_DENIED. Every key with access to a workspace may see
 * organization-wide connections, because calls in the workspace may use them.
 */
export async function getConnection(gateway: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<ListedConnection> {
  const connection = await findConnection(gateway.db, principal.orgId, id);
  if (!connection) throw noSuchConnection();
  const reachesNothing = principal.workspaceIds.length === 0;
  if (connection.workspaceId !== null) assertWorkspace(principal, connection.workspaceId);
  else if (reachesNothing) assertOrgWide(principal);
  return connection;
}

/** The error for a connection that the organization does not have. */
export function noSuchConnection(): GatewayError {
  return new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection.');
}
