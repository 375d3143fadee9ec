import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { deleteMcpToken, type McpToken } from '../../store/mcp-tokens.ts';
import { deleteGrant } from '../../store/oauth-records.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Revokes one token of an end user. A token that a client got by OAuth takes its grant along, since
 * the client would otherwise fetch another one at once. Throws NOT_FOUND for a token that the
 * server does not have.
 */
export async function revokeMcpToken({ db }: Pick<Gateway, 'db'>, server: McpServer, token: Pick<McpToken, 'id' | 'kind'>): Promise<void> {
  const revoked = await db.transaction(async (tx) => {
    const deleted = await deleteMcpToken(tx, { serverId: server.id, ...token });
    if (deleted?.grantId) await deleteGrant(tx, deleted.grantId);
    return deleted;
  });
  if (!revoked) throw new GatewayError('NOT_FOUND', 'This server has no such token.');
}
