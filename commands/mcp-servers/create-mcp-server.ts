import type { Actor } from '../../domain/approval.ts';
import { serverActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type McpServer, sharesStaticToken } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { countMcpServers, insertMcpServer, type NewMcpServer } from '../../store/mcp-servers.ts';
import { lockOrg } from '../../store/orgs.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { findServerEndUser } from './find-server-end-user.ts';
import { issueStaticToken } from './issue-static-token.ts';
import { hasStrictPerUser } from './strict-per-user.ts';
import { syncServer } from './sync-tools.ts';

export interface ServerWithToken {
  server: McpServer;
  /** The new static token, if one was issued. */
  bearerToken: string | undefined;
}

/**
 * Creates an MCP server with the tools of its workspace's integrations (specification 4.2). Throws
 * END_USER_NOT_FOUND, QUOTA_EXCEEDED, and NOT_FOUND if the workspace is gone.
 */
export async function createMcpServer(
  gateway: Gateway,
  by: Actor,
  { endUserExternalId, ...fields }: Omit<NewMcpServer, 'endUserId'> & { endUserExternalId: string | null },
): Promise<ServerWithToken> {
  const endUserId = await findServerEndUser(gateway.db, fields, endUserExternalId);
  return changeSurface(gateway.db, fields.workspaceId, async (tx) => {
    await assertQuota(gateway, tx, fields.orgId);
    const server = await insertMcpServer(tx, { ...fields, endUserId });
    await recordActivity(tx, serverActivity('mcp_server.created', server, by));
    await syncServer(gateway.catalog, tx, server);
    const bearerToken = (await mayHaveStaticToken(gateway, tx, server)) ? await issueStaticToken(gateway, tx, server, by) : undefined;
    return { server, bearerToken };
  });
}

/**
 * True if the authMode enables static tokens. A shared token must also be able to serve all
 * integrations of the workspace.
 */
export async function mayHaveStaticToken(gateway: Gateway, tx: Db, server: McpServer): Promise<boolean> {
  if (server.authMode === 'oauth') return false;
  return !sharesStaticToken(server) || !(await hasStrictPerUser(gateway.catalog, tx, server));
}

async function assertQuota(gateway: Gateway, tx: Db, orgId: string): Promise<void> {
  const quota = gateway.config.quotas.mcpServers;
  if (quota === undefined) return;
  await lockOrg(tx, orgId);
  if ((await countMcpServers(tx, orgId)) >= quota) {
    throw new GatewayError('QUOTA_EXCEEDED', `This organization may have ${quota} MCP servers. Delete one first.`, { quota });
  }
}
