import type { Approval } from '../../domain/approval.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import type { Db } from '../../infra/database.ts';
import { findApprovalsWithKeys } from '../../store/approvals.ts';
import { type ConnectedEndUser, findEndUsersWithKeys } from '../../store/end-users.ts';
import { findApiKeysByHash, type KeyedRequest, type KeyLookup, type KeyWith } from '../../store/key-lookups.ts';
import { findMcpServersWithKeys } from '../../store/mcp-servers.ts';
import { findMcpTokensByHash, type ServerCredential, type TokenLookup } from '../../store/mcp-tokens.ts';
import { findWorkspacesWithKeys } from '../../store/workspaces.ts';

/**
 * The look-ups with which most requests begin. Concurrent requests share a look-up. Nothing is
 * cached.
 */
export interface Lookups {
  /** Undefined for an unknown or expired key. */
  key(hash: Buffer): Promise<KeyLookup | undefined>;
  keyAndWorkspace(hash: Buffer, id: string): Promise<KeyWith<Workspace> | undefined>;
  keyAndEndUser(hash: Buffer, id: string): Promise<KeyWith<ConnectedEndUser> | undefined>;
  keyAndMcpServer(hash: Buffer, id: string): Promise<KeyWith<McpServer> | undefined>;
  keyAndApproval(hash: Buffer, id: string): Promise<KeyWith<Approval> | undefined>;
  /** Undefined if this MCP server has no valid token with this hash. */
  mcpToken(hash: Buffer, serverId: string): Promise<TokenLookup | undefined>;
}

/** After this time, another look-up starts beside the current one. */
const MAX_WAIT_MS = 2;

/** Opens the look-ups of one process. */
export function openLookups(db: Db): Lookups {
  const key = shared(
    (hash: Buffer) => nameOf(hash),
    (hashes) => findApiKeysByHash(db, hashes),
  );
  const workspace = shared(nameOfRequest, (requests) => findWorkspacesWithKeys(db, requests));
  const endUser = shared(nameOfRequest, (requests) => findEndUsersWithKeys(db, requests));
  const mcpServer = shared(nameOfRequest, (requests) => findMcpServersWithKeys(db, requests));
  const approval = shared(nameOfRequest, (requests) => findApprovalsWithKeys(db, requests));
  const mcpToken = shared(
    ({ hash, serverId }: ServerCredential) => nameOf(hash) + serverId,
    (asked) => findMcpTokensByHash(db, asked),
  );
  return {
    key,
    keyAndWorkspace: (hash, id) => workspace({ hash, id }),
    keyAndEndUser: (hash, id) => endUser({ hash, id }),
    keyAndMcpServer: (hash, id) => mcpServer({ hash, id }),
    keyAndApproval: (hash, id) => approval({ hash, id }),
    mcpToken: (hash, serverId) => mcpToken({ hash, serverId }),
  };
}

function nameOf(hash: Buffer): string {
  return hash.toString('latin1');
}

function nameOfRequest({ hash, id }: KeyedRequest): string {
  return nameOf(hash) + id;
}

/** `find` must keep the order of the items. */
function shared<Item, Found>(nameOf: (item: Item) => string, find: (items: Item[]) => Promise<Found[]>): (item: Item) => Promise<Found> {
  return batchCalls(
    async (items: Item[]) => {
      const distinct = new Map(items.map((item) => [nameOf(item), item]));
      const found = await find([...distinct.values()]);
      const byName = new Map([...distinct.keys()].map((name, index) => [name, found[index]!]));
      return (item) => byName.get(nameOf(item))!;
    },
    { maxWaitMs: MAX_WAIT_MS },
  );
}
