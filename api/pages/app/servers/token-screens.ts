import { issueEndUserToken } from '../../../../commands/access/issue-end-user-token.ts';
import { regenerateToken } from '../../../../commands/mcp-servers/regenerate-token.ts';
import { revokeMcpToken } from '../../../../commands/mcp-servers/revoke-mcp-token.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import type { McpServer } from '../../../../domain/mcp-server.ts';
import { hasRole } from '../../../../domain/member.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { findListedToken, findStaticToken, type ListedMcpToken, listMcpTokens } from '../../../../store/mcp-tokens.ts';
import { found } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { showTime } from '../../layout/show-time.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { submitForm } from '../form.ts';
import { listView, nextPageOf, pageOf, readFilter } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { getServer, SERVERS } from './server-of.ts';
import { personOptions, tokenForm, tokenKindOf, tokenSpec } from './token-form.ts';
import { KIND, tokenColumns, tokenRow } from './token-list.ts';
import { tokenPage } from './token-page.ts';

/** Screens to manage tokens of people, and to replace an MCP server's own token. */
export const tokenScreens: readonly Screen[] = [
  {
    ...{ path: `${SERVERS}/{id}/tokens`, role: 'viewer', navigation: 'MCP servers' },
    get: async (visit) => {
      const server = await getServer(visit);
      const page = pageOf(visit.query);
      const filter = { ...KIND, fallback: tokenKindOf(server) };
      const kind = readFilter(visit.query, filter) === 'oauth' ? ('oauth' as const) : ('end_user' as const);
      const { items, total } = await listMcpTokens(visit.gateway.db, { serverId: server.id, kind }, page);
      const mayManage = hasRole(visit.member.role, 'admin');
      const title = `Tokens of ${server.name}`;
      const list = listView(visit, {
        ...{ name: title, plural: 'tokens', about: 'With a token, the agent of one person can use the server.', filters: [filter] },
        columns: tokenColumns(mayManage),
        rows: items.map((token) => tokenRow(server, token, mayManage)),
        nextPage: nextPageOf(page, total),
      });
      return { title, template: 'layout/list-page', data: { title, list } };
    },
  },
  {
    ...{ path: `${SERVERS}/{id}/tokens/new`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => ({ seeOther: `${SERVERS}/${(await getServer(visit)).id}` }),
    post: async (visit) => {
      const server = await getServer(visit);
      const spec = tokenSpec(server, await personOptions(visit.gateway, server));
      return submitForm(spec, tokenForm, visit.form, async ({ person, days: expiresIn }) => {
        const issued = await issueEndUserToken(visit.gateway, actorOf(visit.principal), server, {
          kind: tokenKindOf(server),
          endUserId: person,
          expiresIn,
        });
        return tokenPage(visit, server, issued.token, { person: issued.endUserExternalId });
      });
    },
  },
  ...(['bearer', 'oauth'] as const).map(
    (kind): Screen => ({
      ...{ path: `${SERVERS}/{id}/tokens/${kind}/{tokenId}/revoke`, role: 'admin', navigation: 'MCP servers' },
      get: async (visit) => {
        const { server, token } = await getToken(visit, kind);
        return revocationPage(visit, server, token);
      },
      post: async (visit) => {
        const { server, token } = await getToken(visit, kind);
        await revokeMcpToken(visit.gateway, actorOf(visit.principal), server, token);
        return { seeOther: `${SERVERS}/${server.id}`, done: `${token.tokenPrefix}… is revoked.` };
      },
    }),
  ),
  {
    ...{ path: `${SERVERS}/{id}/replace-token`, role: 'admin', navigation: 'MCP servers' },
    get: async (visit) => replacementPage(visit, await getServer(visit)),
    post: async (visit) => {
      const server = await getServer(visit);
      try {
        return tokenPage(visit, server, await regenerateToken(visit.gateway, actorOf(visit.principal), server), 'static');
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status !== 409) throw error;
        return replacementPage(visit, server, error.message);
      }
    },
  },
];

async function getToken(visit: Visit, kind: 'bearer' | 'oauth'): Promise<{ server: McpServer; token: ListedMcpToken }> {
  const server = await getServer(visit);
  const id = uuid.safeParse(visit.params.tokenId);
  const place = { serverId: server.id, kind: kind === 'oauth' ? ('oauth' as const) : ('end_user' as const) };
  return { server, token: found(id.success ? await findListedToken(visit.gateway.db, { ...place, id: id.data }) : undefined) };
}

async function revocationPage(visit: Visit, server: McpServer, token: ListedMcpToken): Promise<AppPage> {
  const { id, tokenPrefix, endUserExternalId, clientId, clientName, lastUsedAt } = token;
  const client = clientId ? ` ${clientName ?? 'Its client'} must ask ${endUserExternalId} to sign in again.` : '';
  const consequences = [
    `From now on ${server.name} refuses the agent of ${endUserExternalId}.${client}`,
    lastUsedAt ? `The token was last used on ${showTime(lastUsedAt).words}.` : 'The token was never used.',
    ...(await consequencesOf(visit, clientId ? 'oauthToken' : 'mcpToken', id)),
  ];
  return confirmPage({ question: `Revoke ${tokenPrefix}…?`, consequences, button: 'Revoke token', back: `${SERVERS}/${server.id}` });
}

async function replacementPage(visit: Visit, server: McpServer, problem?: string): Promise<AppPage> {
  const own = await findStaticToken(visit.gateway.db, server.id);
  const question = `Replace the token of ${server.name}?`;
  const use = own?.lastUsedAt ? `The token was last used on ${showTime(own.lastUsedAt).words}.` : 'The token was never used.';
  const consequences = own
    ? [
        `Agents with the token ${own.tokenPrefix}… are refused until they have the new token. ${use}`,
        ...(await consequencesOf(visit, 'mcpToken', own.id)),
        'Tokens of people stay.',
      ]
    : ['The server has no token of its own. It gets a token that names no person.'];
  return confirmPage({ question, consequences, problem, button: 'Replace token', back: `${SERVERS}/${server.id}` });
}
