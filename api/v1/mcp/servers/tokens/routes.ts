import { z } from 'zod';
import { getMcpServer } from '../../../../../commands/get-mcp-server.ts';
import { issueEndUserToken } from '../../../../../commands/issue-end-user-token.ts';
import { type Route, route } from '../../../../route.ts';
import { idParams } from '../../../../schemas.ts';
import { mcpEndpoint } from '../present.ts';
import { presentEndUserToken, presentOAuthToken } from './present.ts';
import { endUserToken, newMcpToken, oauthShownOnce, oauthToken, shownOnce } from './schema.ts';

const base = { tag: 'MCP tokens', method: 'post', params: idParams, body: newMcpToken } as const;
const ERRORS = ['NOT_FOUND', 'SCOPE_DENIED', 'WORKSPACE_REQUIRED', 'INVALID_MCP_SCOPES', 'END_USER_NOT_FOUND'] as const;

/** Tokens with which one end user's agent calls one MCP server (specification 4.2). */
export const mcpTokenRoutes: Route[] = [
  route({
    ...base,
    path: '/api/v1/mcp/servers/{id}/access-tokens',
    summary: 'Issue an end-user bearer token',
    answers: { 201: z.object({ accessToken: shownOnce, bearerToken: shownOnce, token: endUserToken, mcpEndpoint: z.string() }) },
    errors: [...ERRORS, 'MCP_BEARER_DISABLED'],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const issued = await issueEndUserToken(gateway, server, { kind: 'end_user', ...body });
      return {
        accessToken: issued.token,
        bearerToken: issued.token,
        token: presentEndUserToken(issued),
        mcpEndpoint: mcpEndpoint(server, gateway.config.baseUrl),
      };
    },
  }),
  route({
    ...base,
    path: '/api/v1/mcp/servers/{id}/oauth-tokens',
    summary: 'Issue an MCP OAuth access token without the sign-in',
    answers: { 201: z.object({ accessToken: oauthShownOnce, token: oauthToken, mcpEndpoint: z.string() }) },
    errors: [...ERRORS, 'MCP_OAUTH_DISABLED'],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const issued = await issueEndUserToken(gateway, server, { kind: 'oauth', ...body });
      return { accessToken: issued.token, token: presentOAuthToken(issued), mcpEndpoint: mcpEndpoint(server, gateway.config.baseUrl) };
    },
  }),
];
