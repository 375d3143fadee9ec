import type { Connection } from '../domain/connection.ts';
import { GatewayError } from '../domain/errors.ts';
import { assertOrgWide, type KeyPrincipal } from '../domain/principal.ts';
import type { Db } from '../infra/database.ts';
import { deleteConnection as deleteRow } from '../store/connections.ts';
import { raiseSurfaceVersions } from '../store/workspaces.ts';
import { changeSurface } from './change-surface.ts';
import type { Gateway } from './gateway.ts';
import { getConnection } from './get-connection.ts';
import { inTurn } from './in-turn.ts';
import { withdrawPending } from './withdraw-pending.ts';

/**
 * Deletes a connection: what was configured with it has none then, and what waits for approval to run on it is canceled.
 * Throws CONNECTION_NOT_FOUND, SCOPE_DENIED; an organization-wide one takes an org-wide key.
 */
export async function deleteConnection(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<void> {
  const connection = await getConnection(gateway, principal, id);
  if (connection.workspaceId === null) assertOrgWide(principal);
  await removeConnection(gateway, connection, 'The connection was deleted.');
}

/** The same for somebody who may; `reason` is what those read whose approvals are canceled. Throws CONNECTION_NOT_FOUND. */
export async function removeConnection(gateway: Gateway, connection: ConnectionPlace, reason: string): Promise<void> {
  const { orgId, id } = connection;
  const tell = await changeWhereUsed(gateway.db, connection, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw gone();
    return withdrawPending(gateway, tx, { orgId, connectionId: id }, reason);
  });
  await tell();
}

type ConnectionPlace = Pick<Connection, 'orgId' | 'workspaceId' | 'id'>;

/** Surfaces are new before the deletion, so that nothing is configured with the connection meanwhile: everywhere that it may be. */
function changeWhereUsed<Result>(db: Db, { orgId, workspaceId }: ConnectionPlace, change: (tx: Db) => Promise<Result>): Promise<Result> {
  if (workspaceId !== null) return changeSurface(db, workspaceId, change, gone);
  const transact = () =>
    db.transaction(async (tx) => {
      await raiseSurfaceVersions(tx, orgId);
      return change(tx);
    });
  return inTurn(orgId, transact);
}

function gone(): GatewayError {
  return new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection.');
}
