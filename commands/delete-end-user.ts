import type { EndUser } from '../domain/end-user.ts';
import type { Db } from '../infra/database.ts';
import type { Concern } from '../store/approval-moves.ts';
import { deleteConnectionsOfEndUser } from '../store/connections-of-end-user.ts';
import { deleteEndUser as deleteRow, lockEndUser } from '../store/end-users.ts';
import { listServerIdsOfEndUser } from '../store/mcp-servers.ts';
import { deleteStateOfEndUser } from '../store/state-of-end-user.ts';
import { changeSurface } from './change-surface.ts';
import type { Gateway } from './gateway.ts';
import { noSuchEndUser } from './get-end-user.ts';
import { withdrawPending } from './withdraw-pending.ts';

/**
 * Deletes an end user with its connections, its tokens, the MCP servers scoped to it and what built-in integrations kept for it, in one
 * transaction, and cancels what waits for it or on any of them. Answers how many connections went. Throws NOT_FOUND when it is gone already.
 */
export async function deleteEndUser(gateway: Gateway, endUser: EndUser): Promise<number> {
  const { orgId, workspaceId, id } = endUser;
  const { connectionsDeleted, tell } = await changeSurface(gateway.db, workspaceId, async (tx) => {
    // Locked first: a connection made meanwhile is either counted here, or finds the end user gone.
    if (!(await lockEndUser(tx, orgId, id))) throw noSuchEndUser();
    const connectionIds = await deleteConnectionsOfEndUser(tx, orgId, id);
    const serverIds = await listServerIdsOfEndUser(tx, orgId, id);
    await deleteRow(tx, orgId, id);
    await deleteStateOfEndUser(tx, endUser);
    const tell = await withdrawAll(gateway, tx, [
      { orgId, workspaceId, endUserId: endUser.externalId },
      ...serverIds.map((mcpServerId) => ({ orgId, workspaceId, mcpServerId })),
      ...connectionIds.map((connectionId) => ({ orgId, workspaceId, connectionId })),
    ]);
    return { connectionsDeleted: connectionIds.length, tell };
  });
  await tell();
  return connectionsDeleted;
}

async function withdrawAll(gateway: Gateway, tx: Db, concerns: readonly Concern[]): Promise<() => Promise<void>> {
  const tells: (() => Promise<void>)[] = [];
  for (const concern of concerns) tells.push(await withdrawPending(gateway, tx, concern, 'The end user was deleted.'));
  return async () => {
    await Promise.all(tells.map((tell) => tell()));
  };
}
