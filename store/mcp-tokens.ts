import type { Knex } from 'knex';
import type { McpServer } from '../domain/mcp-server.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { byPosition, EXPECT_ONE_ITEM } from './by-position.ts';
import { columns, columnsSql, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

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
  /** Set only for tokens of the authorization server. `clientName` is from the time of issue. */
  clientId?: string;
  clientName?: string | null;
  grantId?: string;
  identityId?: string;
}

/** The record of a token, without the token. */
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

/** Inserts a token, and deletes expired tokens of the same MCP server. */
export async function insertMcpToken(db: Db, token: NewMcpToken): Promise<McpToken> {
  const [row] = await db('mcp_tokens').insert(toRow(token)).returning(COLUMNS);
  await db('mcp_tokens').where({ server_id: token.serverId }).where('expires_at', '<', db.fn.now()).delete();
  return row;
}

/** Replaces the static token of an MCP server. */
export async function replaceStaticToken(db: Db, token: NewMcpToken): Promise<void> {
  await db.transaction(async (tx) => {
    await tx('mcp_tokens').where({ server_id: token.serverId, kind: 'static' }).delete();
    await tx('mcp_tokens').insert(toRow(token));
  });
}

/** Deletes the static token of an MCP server. */
export async function deleteStaticToken(db: Db, serverId: string): Promise<void> {
  await db('mcp_tokens').where({ server_id: serverId, kind: 'static' }).delete();
}

/** Returns the ids of a workspace's MCP servers that have a static token. */
export async function listStaticTokenHolders(db: Db, workspaceId: string): Promise<string[]> {
  return db('mcp_tokens').where({ workspace_id: workspaceId, kind: 'static' }).pluck('server_id');
}

export async function hasStaticToken(db: Db, serverId: string): Promise<boolean> {
  return (await db('mcp_tokens').select('id').where({ server_id: serverId, kind: 'static' }).first()) !== undefined;
}

/** Finds the static token of an MCP server, with the fields for pages. */
export async function findStaticToken(
  db: Db,
  serverId: string,
): Promise<Pick<ListedMcpToken, 'id' | 'tokenPrefix' | 'createdAt' | 'lastUsedAt'> | undefined> {
  return db('mcp_tokens')
    .select(columns<ListedMcpToken>('id', 'tokenPrefix', 'createdAt', 'lastUsedAt'))
    .where({ server_id: serverId, kind: 'static' })
    .first();
}

/** Returns when the tokens of each MCP server were last used. Leaves out unused MCP servers. */
export async function listLastUses(db: Db, serverIds: readonly string[]): Promise<Map<string, Date>> {
  const rows = await db('mcp_tokens')
    .select<{ id: string; at: Date }[]>('server_id as id', db.raw('max(last_used_at) as at'))
    .whereIn('server_id', [...serverIds])
    .whereNotNull('last_used_at')
    .groupBy('server_id');
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Sets the scopes of an MCP server's static token. */
export async function updateStaticTokenScopes(db: Db, serverId: string, scopes: string[]): Promise<void> {
  await db('mcp_tokens').where({ server_id: serverId, kind: 'static' }).update({ scopes });
}

/** The fields for authenticating an MCP request. */
export interface TokenLookup {
  id: string;
  scopes: string[];
  /** External id of the token's end user, or else of the MCP server's end user. */
  endUserId: string | null;
  policiesVersion: number;
  seenAt: Date;
  /** True if no use is recorded, or if the last recorded use is more than a minute old. */
  stale: boolean;
  surfaceVersion: number;
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'name' | 'description' | 'mode' | 'settings' | 'authMode'> & {
    suspended: boolean;
  };
}

const BY_HASH = {
  name: 'mcp-tokens-by-hash',
  text: `select asked.n, t.id, t.scopes, u.external_id as "endUserId", o.policies_version as "policiesVersion", w.surface_version as "surfaceVersion",
           now() as "seenAt", (t.last_used_at is null or t.last_used_at < now() - interval '1 minute') as stale,
           json_build_object('id', s.id, 'orgId', s.org_id, 'workspaceId', s.workspace_id, 'name', s.name, 'description', s.description,
             'mode', s.mode, 'settings', s.settings, 'authMode', s.auth_mode, 'suspended', s.suspended_at is not null) as server
         from unnest($1::bytea[], $2::uuid[]) with ordinality as asked (hash, server_id, n)
           join mcp_tokens t on t.token_hash = asked.hash and t.server_id = asked.server_id
           join mcp_servers s on s.id = t.server_id
           join orgs o on o.id = t.org_id
           join workspaces w on w.id = t.workspace_id
           left join end_users u on u.id = coalesce(t.end_user_id, s.end_user_id)
         where (t.expires_at is null or t.expires_at > now())
           and case when t.kind = 'oauth' then s.auth_mode <> 'bearer' else s.auth_mode <> 'oauth' end
           and (t.end_user_id = s.end_user_id) is not false
           and ${EXPECT_ONE_ITEM}`,
};

/** The credential of a request to an MCP server. */
export interface ServerCredential {
  hash: Buffer;
  serverId: string;
}

/**
 * Finds the tokens with these hashes on these MCP servers, in the order of `asked`. Undefined for a
 * token that is unknown, expired or no longer allowed.
 */
export async function findMcpTokensByHash(db: Db, asked: readonly ServerCredential[]): Promise<(TokenLookup | undefined)[]> {
  const values = [asked.map(({ hash }) => hash), asked.map(({ serverId }) => serverId)];
  return byPosition(asked.length, await runPrepared<TokenLookup & { n: number }>(db, BY_HASH, values));
}

/** An access token that the authorization server issued. */
export interface OAuthToken {
  createdAt: Date;
  expiresAt: Date;
  clientId: string;
  grantId: string;
  identityId: string;
  serverId: string;
  scopes: string[];
}

/** Finds an unexpired access token that has a grant. */
export async function findOAuthTokenByHash(db: Db, hash: Buffer): Promise<OAuthToken | undefined> {
  return db('mcp_tokens')
    .select(columns<OAuthToken>('createdAt', 'expiresAt', 'clientId', 'grantId', 'identityId', 'serverId', 'scopes'))
    .where({ token_hash: hash, kind: 'oauth' })
    .whereNotNull('grant_id')
    .where('expires_at', '>', db.fn.now())
    .first();
}

export async function deleteMcpTokenByHash(db: Db, hash: Buffer): Promise<void> {
  await db('mcp_tokens').where({ token_hash: hash }).delete();
}

export async function touchMcpToken(db: Db, id: string): Promise<void> {
  await db('mcp_tokens').where({ id }).update({ last_used_at: db.fn.now() });
}

/** The fields of a token in lists. */
export interface ListedMcpToken extends McpToken {
  endUserExternalId: string;
  clientName: string | null;
  lastUsedAt: Date | null;
}

const LISTED = columnsSql<ListedMcpToken>(
  't',
  ...(['id', 'orgId', 'workspaceId', 'serverId', 'kind', 'tokenPrefix', 'endUserId', 'scopes', 'expiresAt', 'createdAt'] as const),
  ...(['clientId', 'clientName', 'lastUsedAt'] as const),
);

/** Returns a page of an MCP server's unexpired tokens of one kind, oldest first, and the total. */
export async function listMcpTokens(
  db: Db,
  { serverId, kind }: Pick<McpToken, 'serverId' | 'kind'>,
  page: PageRequest,
): Promise<Page<ListedMcpToken>> {
  const all = db('mcp_tokens').where({ server_id: serverId, kind }).where(isLive);
  return pageOf(all, page, (ids) => listedTokens(db).whereIn('t.id', ids).orderBy(oldestFirst('t')));
}

/** Returns unexpired tokens of an end user with the names of their MCP servers, newest first. */
export async function listTokensOfEndUser(db: Db, endUserId: string, limit: number): Promise<(ListedMcpToken & { serverName: string })[]> {
  return listedTokens(db)
    .join('mcp_servers as s', 's.id', 't.server_id')
    .select('s.name as serverName')
    .where({ 't.end_user_id': endUserId })
    .where(isLive)
    .orderBy('t.created_at', 'desc')
    .limit(limit);
}

/** Finds an unexpired token of an MCP server by kind and id. */
export async function findListedToken(
  db: Db,
  { serverId, kind, id }: Pick<McpToken, 'serverId' | 'kind' | 'id'>,
): Promise<ListedMcpToken | undefined> {
  return listedTokens(db).where({ 't.server_id': serverId, 't.kind': kind, 't.id': id }).where(isLive).first();
}

function isLive(tokens: Knex.QueryBuilder): void {
  void tokens.whereNull('expires_at').orWhereRaw('expires_at > now()');
}

function listedTokens(db: Db) {
  return db('mcp_tokens as t')
    .join('end_users as u', 'u.id', 't.end_user_id')
    .select(db.raw(`${LISTED}, u.external_id as "endUserExternalId"`));
}

/** Deletes a token of an MCP server and returns it. */
export async function deleteMcpToken(
  db: Db,
  { serverId, kind, id }: Pick<McpToken, 'serverId' | 'kind' | 'id'>,
): Promise<(Omit<McpToken, 'grantId'> & { grantId: string | null; endUserExternalId: string | null }) | undefined> {
  const externalId = db.raw('(select external_id from end_users u where u.id = mcp_tokens.end_user_id) as "endUserExternalId"');
  const returned = [...COLUMNS, 'grant_id as grantId', externalId];
  const [row] = await db('mcp_tokens').where({ server_id: serverId, kind, id }).delete().returning(returned);
  return row;
}
