import type { Actor } from '../../domain/approval.ts';
import { serverActivity } from '../../domain/audit/change-activity.ts';
import { type McpServer, scopesOf } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { findMcpServer, type NewMcpServer, updateMcpServer as updateRow } from '../../store/mcp-servers.ts';
import { deleteStaticToken, hasStaticToken, updateStaticTokenScopes } from '../../store/mcp-tokens.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { mayHaveStaticToken, type ServerWithToken } from './create-mcp-server.ts';
import { findServerEndUser } from './find-server-end-user.ts';
import { noSuchServer } from './get-mcp-server.ts';
import { issueStaticToken } from './issue-static-token.ts';

export type ServerChanges = Partial<Omit<NewMcpServer, 'orgId' | 'workspaceId' | 'endUserId' | 'createdBy'>> & {
  endUserExternalId?: string | null | undefined;
};

/**
 * Changes an MCP server. Returns a new static token if the server may have one and has none. Throws
 * NOT_FOUND and END_USER_NOT_FOUND.
 */
export async function updateMcpServer(
  gateway: Gateway,
  by: Actor,
  server: Pick<McpServer, 'orgId' | 'workspaceId' | 'id'>,
  { endUserExternalId, ...changes }: ServerChanges,
): Promise<ServerWithToken> {
  const { orgId, workspaceId, id } = server;
  const endUserId =
    endUserExternalId === undefined ? undefined : await findServerEndUser(gateway.db, { orgId, workspaceId }, endUserExternalId);
  return changeSurface(gateway.db, workspaceId, async (tx) => {
    const before = await findMcpServer(tx, orgId, id);
    const updated = await updateRow(tx, orgId, id, { ...changes, ...(endUserId !== undefined && { endUserId }) });
    if (!before || !updated) throw noSuchServer();
    if (changes.mode !== undefined) await updateStaticTokenScopes(tx, id, scopesOf(updated.mode));
    const changed = changedFields(before, updated, FIELDS).map((field) => (field === 'endUserExternalId' ? 'endUserId' : field));
    if (changed.length > 0) await recordActivity(tx, serverActivity('mcp_server.updated', updated, by, changed));
    return { server: updated, bearerToken: await followAuthMode(gateway, tx, updated, by) };
  });
}

const FIELDS = ['name', 'description', 'mode', 'settings', 'authMode', 'endUserAccess', 'endUserExternalId'] as const;

async function followAuthMode(gateway: Gateway, tx: Db, server: McpServer, by: Actor): Promise<string | undefined> {
  if (!(await mayHaveStaticToken(gateway, tx, server))) {
    await deleteStaticToken(tx, server.id);
    return undefined;
  }
  return (await hasStaticToken(tx, server.id)) ? undefined : issueStaticToken(gateway, tx, server, by);
}
