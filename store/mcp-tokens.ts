import type { McpServer } from '../domain/mcp-server.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

export interface NewMcpToken {
  orgId: string;
  workspaceId: string;
  serverId: string;
  kind: 'static' | 'end_user' | 'oauth';
  tokenPrefix: string;
  tokenHash: Buffer;
  endUserId: string | null;
  scopes: string[];
  expiresAt: Date | null;
}

/** A token's record; the token itself is kept nowhere. */
export interface McpToken extends Omit<NewMcpToken, 'tokenHash'> {
  id: string;
  createdAt: Date;
}

const COLUMNS = columns<McpToken>(
  'id',
  'orgId',
  'workspaceId',
  'serverId',
  'kind',
  'tokenPrefix',
  'endUserId',
  'scopes',
  'expiresAt',
  'createdAt',
);

/** Also clears away the server's tokens that have expired: nobody can see or use them any more. */
export async function insertMcpToken(db: Db, token: NewMcpToken): Promise<McpToken> {
  const [row] = await db('mcp_tokens').insert(toRow(token)).returning(COLUMNS);
  await db('mcp_tokens').where({ server_id: token.serverId }).where('expires_at', '<', db.fn.now()).delete();
  return row;
}

/** Puts a static token in the place of the server's old one, which stops working at once. */
export async function replaceStaticToken(db: Db, token: NewMcpToken): Promise<void> {
  await db.transaction(async (tx) => {
    await tx('mcp_tokens').where({ server_id: token.serverId, kind: 'static' }).delete();
    await tx('mcp_tokens').insert(toRow(token));
  });
}

/** Removes the server's static token, if it has one. */
export async function deleteStaticToken(db: Db, serverId: string): Promise<void> {
  await db('mcp_tokens').where({ server_id: serverId, kind: 'static' }).delete();
}

/** Ids of the servers of a workspace that have a static token. */
export async function listStaticTokenHolders(db: Db, workspaceId: string): Promise<string[]> {
  return db('mcp_tokens').where({ workspace_id: workspaceId, kind: 'static' }).pluck('server_id');
}

export async function hasStaticToken(db: Db, serverId: string): Promise<boolean> {
  return (await db('mcp_tokens').select('id').where({ server_id: serverId, kind: 'static' }).first()) !== undefined;
}

/** Gives the server's static token, if it has one, the scopes of the server's new mode. */
export async function updateStaticTokenScopes(db: Db, serverId: string, scopes: string[]): Promise<void> {
  await db('mcp_tokens').where({ server_id: serverId, kind: 'static' }).update({ scopes });
}

/** What authenticating an MCP request needs: the token, its server and the version of the policies. */
export interface TokenLookup {
  id: string;
  scopes: string[];
  /** External id of the end user that the token, or else the server, stands for. */
  endUserId: string | null;
  policiesVersion: number;
  seenAt: Date;
  surfaceVersion: number;
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'name' | 'description' | 'mode' | 'settings' | 'authMode'> & {
    suspended: boolean;
  };
}

const BY_HASH = {
  name: 'mcp-token-by-hash',
  text: `select t.id, t.scopes, u.external_id as "endUserId", o.policies_version as "policiesVersion", w.surface_version as "surfaceVersion",
           now() as "seenAt",
           json_build_object('id', s.id, 'orgId', s.org_id, 'workspaceId', s.workspace_id, 'name', s.name, 'description', s.description,
             'mode', s.mode, 'settings', s.settings, 'authMode', s.auth_mode, 'suspended', s.suspended_at is not null) as server
         from mcp_tokens t
           join mcp_servers s on s.id = t.server_id
           join orgs o on o.id = t.org_id
           join workspaces w on w.id = t.workspace_id
           left join end_users u on u.id = coalesce(t.end_user_id, s.end_user_id)
         where t.token_hash = $1 and t.server_id = $2 and (t.expires_at is null or t.expires_at > now())
           and case when t.kind = 'oauth' then s.auth_mode <> 'bearer' else s.auth_mode <> 'oauth' end
           and (t.end_user_id = s.end_user_id) is not false`,
};

/**
 * The token with this hash on this server, unless expired or no longer allowed: by the server's authMode, or because the server was scoped to
 * another end user since. One prepared round trip.
 */
export async function findMcpTokenByHash(db: Db, hash: Buffer, serverId: string): Promise<TokenLookup | undefined> {
  const [row] = await runPrepared<TokenLookup>(db, BY_HASH, [hash, serverId]);
  return row;
}
