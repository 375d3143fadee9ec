import type { Actor } from '../../domain/approval.ts';
import { endUserActivity } from '../../domain/audit/setup-activity.ts';
import type { EndUser } from '../../domain/end-user.ts';
import type { Db } from '../../infra/database.ts';
import type { Concern } from '../../store/approval-transitions.ts';
import { deleteConnectionsOfEndUser } from '../../store/connections-of-end-user.ts';
import { deleteEndUser as deleteRow, lockEndUser } from '../../store/end-users.ts';
import { listServerIdsOfEndUser } from '../../store/mcp-servers.ts';
import { deleteStateOfEndUser } from '../../store/state-of-end-user.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { noSuchEndUser } from './get-end-user.ts';

/**
 * Deletes an end user with its connections, tokens, scoped MCP servers and state. Returns the
 * number of deleted connections. Throws NOT_FOUND if the end user is already gone.
 */
export async function deleteEndUser(gateway: Gateway, by: Actor, endUser: EndUser): Promise<number> {
  const { orgId, workspaceId, id } = endUser;
  const { connectionsDeleted, notify } = await changeSurface(gateway.db, workspaceId, async (tx) => {
    // The lock comes first. A connection that is created concurrently is then either counted here,
    // or finds no end user.
    if (!(await lockEndUser(tx, orgId, id))) throw noSuchEndUser();
    const connectionIds = await deleteConnectionsOfEndUser(tx, orgId, id);
    const serverIds = await listServerIdsOfEndUser(tx, orgId, id);
    await deleteRow(tx, orgId, id);
    await deleteStateOfEndUser(tx, endUser);
    const gone = { connectionCount: connectionIds.length, serverCount: serverIds.length };
    await recordActivity(tx, endUserActivity('end_user.deleted', endUser, by, gone));
    const notify = await withdrawAll(gateway, tx, [
      { orgId, workspaceId, endUserId: endUser.externalId },
      ...serverIds.map((mcpServerId) => ({ orgId, workspaceId, mcpServerId })),
      ...connectionIds.map((connectionId) => ({ orgId, workspaceId, connectionId })),
    ]);
    return { connectionsDeleted: connectionIds.length, notify };
  });
  await notify();
  return connectionsDeleted;
}

async function withdrawAll(gateway: Gateway, tx: Db, concerns: readonly Concern[]): Promise<() => Promise<void>> {
  const notifications: (() => Promise<void>)[] = [];
  for (const concern of concerns) notifications.push(await withdrawPending(gateway, tx, concern, 'The end user was deleted.'));
  return async () => {
    await Promise.all(notifications.map((notify) => notify()));
  };
}
