import { authFlags, type McpServer } from '../../../../domain/mcp-server.ts';
import { findStaticToken, type ListedMcpToken, listMcpTokens } from '../../../../store/mcp-tokens.ts';
import { showTime } from '../../layout/show-time.ts';
import { type Cell, type Filter, type ListSpec, listView, timeCell } from '../list.ts';
import type { Visit } from '../screen.ts';
import { SERVERS } from './server-of.ts';
import { tokenKindOf } from './token-form.ts';

/** The kinds of tokens that name a person. */
export const KIND: Filter = {
  label: 'Kind',
  options: [
    { value: 'end_user', label: 'Bearer tokens' },
    { value: 'oauth', label: 'OAuth' },
  ],
};

/** Maximum number of tokens of each kind in the overview. The page "Tokens" lists all tokens. */
const SHOWN = 5;

/** The tokens on the page of an MCP server: the total, the oldest ones, and the static token. */
export async function tokenOverview(visit: Visit, server: McpServer, mayManage: boolean) {
  const [{ gateway }, { id: serverId }] = [visit, server];
  const page = { limit: SHOWN, offset: 0 };
  const [own, bearer, oauth] = await Promise.all([
    findStaticToken(gateway.db, serverId),
    listMcpTokens(gateway.db, { serverId, kind: 'end_user' }, page),
    listMcpTokens(gateway.db, { serverId, kind: 'oauth' }, page),
  ]);
  return {
    own: own && { ...own, words: own.lastUsedAt ? `last used on ${showTime(own.lastUsedAt).words}` : 'never used' },
    mayHaveOwn: authFlags(server.authMode).staticBearerEnabled,
    kind: tokenKindOf(server),
    total: bearer.total + oauth.total,
    list: listView(
      { ...visit, query: new URLSearchParams() },
      {
        ...{ name: 'Tokens', plural: 'tokens of people', about: 'With a token, the agent of one person can use the server.' },
        columns: tokenColumns(mayManage),
        rows: [...bearer.items, ...oauth.items].map((token) => tokenRow(server, token, mayManage)),
      },
    ),
  };
}

/** Columns of a table of tokens. */
export function tokenColumns(mayManage: boolean): ListSpec['columns'] {
  return ['Token', 'Person', 'Made by', 'Last used', 'Expires', ...(mayManage ? ['Actions'] : [])];
}

/** A token as a row. */
export function tokenRow({ id: serverId }: McpServer, token: ListedMcpToken, mayManage: boolean): Cell[] {
  const { id, kind, tokenPrefix, endUserExternalId, clientName, clientId, lastUsedAt, expiresAt } = token;
  const shown = `${tokenPrefix}…`;
  const cells: Cell[] = [
    { text: shown, hint: kind === 'oauth' ? 'OAuth' : 'Bearer token' },
    endUserExternalId,
    clientName ?? (clientId ? 'A client without a name' : 'This service'),
    lastUsedAt ? timeCell(lastUsedAt) : 'Never',
    timeCell(expiresAt),
  ];
  const href = `${SERVERS}/${serverId}/tokens/${kind === 'oauth' ? 'oauth' : 'bearer'}/${id}/revoke`;
  return mayManage ? [...cells, { buttons: [{ label: 'Revoke', name: `Revoke ${shown}`, href }] }] : cells;
}
