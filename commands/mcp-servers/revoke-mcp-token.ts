import type { Actor } from '../../domain/approval.ts';
import { tokenActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { deleteMcpToken, type McpToken } from '../../store/mcp-tokens.ts';
import { deleteGrant } from '../../store/oauth-records.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Revokes one token of an end user. Also deletes its OAuth grant, because the client could
 * otherwise get another token. Throws NOT_FOUND if the MCP server has no such token.
 */
export async function revokeMcpToken(
  { db }: Pick<Gateway, 'db'>,
  by: Actor,
  server: McpServer,
  token: Pick<McpToken, 'id' | 'kind'>,
): Promise<void> {
  const revoked = await db.transaction(async (tx) => {
    const deleted = await deleteMcpToken(tx, { serverId: server.id, ...token });
    if (deleted?.grantId) await deleteGrant(tx, deleted.grantId);
    if (deleted)
      await recordActivity(tx, tokenActivity('mcp_token.revoked', server, { ...deleted, endUserId: deleted.endUserExternalId }, by));
    return deleted;
  });
  if (!revoked) throw new GatewayError('NOT_FOUND', 'This server has no such token.');
}
