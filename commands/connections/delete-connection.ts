import type { Actor } from '../../domain/approval.ts';
import { connectionActivity, type ShownConnection } from '../../domain/audit/setup-activity.ts';
import type { Connection } from '../../domain/connection.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import type { Db } from '../../infra/database.ts';
import { deleteConnection as deleteRow } from '../../store/connections.ts';
import { raiseSurfaceVersions } from '../../store/workspaces.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { getConnection, noSuchConnection } from './get-connection.ts';

/**
 * Deletes a connection, and cancels pending approvals that would use it. Throws
 * CONNECTION_NOT_FOUND and SCOPE_DENIED.
 */
export async function deleteConnection(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<void> {
  const connection = await getConnection(gateway, principal, id);
  if (connection.workspaceId === null) assertOrgWide(principal);
  await removeConnection(gateway, actorOf(principal), connection, 'The connection was deleted.');
}

/** Deletes a connection that the caller may delete. The canceled approvals show `reason`. */
export async function removeConnection(gateway: Gateway, by: Actor, connection: ShownConnection, reason: string): Promise<void> {
  const { orgId, id } = connection;
  const notify = await changeWhereUsed(gateway.db, connection, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw noSuchConnection();
    await recordActivity(tx, connectionActivity('connection.deleted', connection, by));
    return withdrawPending(gateway, tx, { orgId, connectionId: id }, reason);
  });
  await notify();
}

type ConnectionPlace = Pick<Connection, 'orgId' | 'workspaceId' | 'id'>;

/**
 * Makes a change in a transaction that raises the surface versions of the workspaces that may use
 * the connection. This locks the workspaces, so no concurrent change can configure the connection.
 */
function changeWhereUsed<Result>(db: Db, { orgId, workspaceId }: ConnectionPlace, change: (tx: Db) => Promise<Result>): Promise<Result> {
  if (workspaceId !== null) return changeSurface(db, workspaceId, change, noSuchConnection);
  const transact = () =>
    db.transaction(async (tx) => {
      await raiseSurfaceVersions(tx, orgId);
      return change(tx);
    });
  return withKeyLock(orgId, transact);
}
