import { z } from 'zod';
import { issueEndUserToken } from '../../../../../commands/access/issue-end-user-token.ts';
import { getMcpServer } from '../../../../../commands/mcp-servers/get-mcp-server.ts';
import { revokeMcpToken } from '../../../../../commands/mcp-servers/revoke-mcp-token.ts';
import { actorOf } from '../../../../../domain/principal.ts';
import { listMcpTokens } from '../../../../../store/mcp-tokens.ts';
import { type Route, route } from '../../../../route.ts';
import { deleted, idParams, page, uuid } from '../../../../schemas.ts';
import { mcpEndpoint } from '../present.ts';
import { presentEndUserToken, presentListedToken, presentOAuthToken } from './present.ts';
import { endUserToken, listedToken, newMcpToken, oauthShownOnce, oauthToken, shownOnce } from './schema.ts';

const BEARER = { tag: 'MCP tokens', path: '/api/v1/mcp/servers/{id}/access-tokens', kind: 'end_user', what: 'end-user bearer' } as const;
const OAUTH = { tag: 'MCP tokens', path: '/api/v1/mcp/servers/{id}/oauth-tokens', kind: 'oauth', what: 'MCP OAuth access' } as const;

const ERRORS = ['NOT_FOUND', 'SCOPE_DENIED', 'WORKSPACE_REQUIRED', 'INVALID_MCP_SCOPES', 'END_USER_NOT_FOUND'] as const;

/**
 * Tokens for the agent of one end user and one MCP server (specification 4.2; contract decisions
 * 8).
 */
export const mcpTokenRoutes: Route[] = [
  route({
    ...{ tag: BEARER.tag, path: BEARER.path, method: 'post', params: idParams, body: newMcpToken },
    summary: 'Issue an end-user bearer token',
    answers: { 201: z.object({ accessToken: shownOnce, bearerToken: shownOnce, token: endUserToken, mcpEndpoint: z.string() }) },
    errors: [...ERRORS, 'MCP_BEARER_DISABLED'],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const issued = await issueEndUserToken(gateway, actorOf(principal), server, { kind: 'end_user', ...body });
      return {
        accessToken: issued.token,
        bearerToken: issued.token,
        token: presentEndUserToken(issued),
        mcpEndpoint: mcpEndpoint(server, gateway.config.baseUrl),
      };
    },
  }),
  route({
    ...{ tag: OAUTH.tag, path: OAUTH.path, method: 'post', params: idParams, body: newMcpToken },
    summary: 'Issue an MCP OAuth access token without a sign-in',
    answers: { 201: z.object({ accessToken: oauthShownOnce, token: oauthToken, mcpEndpoint: z.string() }) },
    errors: [...ERRORS, 'MCP_OAUTH_DISABLED'],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const issued = await issueEndUserToken(gateway, actorOf(principal), server, { kind: 'oauth', ...body });
      return { accessToken: issued.token, token: presentOAuthToken(issued), mcpEndpoint: mcpEndpoint(server, gateway.config.baseUrl) };
    },
  }),
  ...[BEARER, OAUTH].flatMap(({ tag, path, kind, what }) => [
    route({
      ...{ tag, path, method: 'get', params: idParams, query: page },
      summary: `List the unexpired ${what} tokens of a server`,
      answers: { 200: z.object({ tokens: z.array(listedToken), total: z.int() }) },
      errors: ['NOT_FOUND', 'SCOPE_DENIED'],
      handle: async ({ gateway, principal, params, query }) => {
        const server = await getMcpServer(gateway, principal, params.id);
        const { items, total } = await listMcpTokens(gateway.db, { serverId: server.id, kind }, query);
        return { tokens: items.map(presentListedToken), total };
      },
    }),
    route({
      ...{ tag, path: `${path}/{tokenId}`, method: 'delete', params: idParams.extend({ tokenId: uuid }) },
      summary: `Revoke one of the ${what} tokens${kind === 'oauth' ? ' and the grant of its client' : ''}`,
      answers: { 200: deleted },
      errors: ['NOT_FOUND', 'SCOPE_DENIED'],
      handle: async ({ gateway, principal, params }) => {
        const server = await getMcpServer(gateway, principal, params.id);
        await revokeMcpToken(gateway, actorOf(principal), server, { id: params.tokenId, kind });
        return { deleted: true, id: params.tokenId };
      },
    }),
  ]),
];
