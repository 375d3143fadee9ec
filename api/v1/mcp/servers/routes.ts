import { z } from 'zod';
import { createMcpServer } from '../../../../commands/mcp-servers/create-mcp-server.ts';
import { deleteMcpServer } from '../../../../commands/mcp-servers/delete-mcp-server.ts';
import { getMcpServer } from '../../../../commands/mcp-servers/get-mcp-server.ts';
import { regenerateToken } from '../../../../commands/mcp-servers/regenerate-token.ts';
import { updateMcpServer } from '../../../../commands/mcp-servers/update-mcp-server.ts';
import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { listMcpTools } from '../../../../store/mcp-tools.ts';
import { type Route, route } from '../../../route.ts';
import { deleted, emptyBody, idParams } from '../../../schemas.ts';
import { mcpEndpoint, presentMcpServer } from './present.ts';
import { bearerToken, mcpServer, mcpServerChanges, mcpServersQuery, newMcpServer } from './schema.ts';
import { presentMcpTool } from './tools/present.ts';
import { mcpTool } from './tools/schema.ts';

const all = { tag: 'MCP servers', path: '/api/v1/mcp/servers' } as const;
const one = { tag: 'MCP servers', path: '/api/v1/mcp/servers/{id}', params: idParams } as const;

/** MCP servers (specification 4.2). */
export const mcpServerRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    isCompressible: true,
    summary: 'List MCP servers',
    query: mcpServersQuery,
    answers: { 200: z.object({ servers: z.array(mcpServer), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, includeSuspended, ...page } }) => {
      const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [(await getWorkspace(gateway, principal, workspaceId)).id];
      const filter = { orgId: principal.orgId, includeSuspended, ...(workspaceIds !== 'all' && { workspaceIds }) };
      const { items, total } = await listMcpServers(gateway.db, filter, page);
      return { servers: items.map((server) => presentMcpServer(server, gateway.config.baseUrl)), total };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: 'Create an MCP server; a static bearer token is shown only in the answer that creates it',
    body: newMcpServer,
    answers: { 201: z.object({ server: mcpServer, mcpEndpoint: z.string(), bearerToken: bearerToken.optional() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'QUOTA_EXCEEDED', 'END_USER_NOT_FOUND'],
    handle: async ({ gateway, principal, body: { endUserId, ...fields } }) => {
      const workspace = await getWorkspace(gateway, principal, fields.workspaceId);
      const { server, bearerToken } = await createMcpServer(gateway, actorOf(principal), {
        ...fields,
        orgId: workspace.orgId,
        description: fields.description ?? null,
        createdBy: fields.createdBy ?? null,
        endUserExternalId: endUserId ?? null,
      });
      const { baseUrl } = gateway.config;
      return { server: presentMcpServer(server, baseUrl), mcpEndpoint: mcpEndpoint(server, baseUrl), ...(bearerToken && { bearerToken }) };
    },
  }),
  route({
    ...one,
    method: 'get',
    isCompressible: true,
    summary: 'Get an MCP server with its tools',
    answers: { 200: z.object({ server: mcpServer, tools: z.array(mcpTool) }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const tools = await listMcpTools(gateway.db, server.id);
      return { server: presentMcpServer(server, gateway.config.baseUrl), tools: tools.map(presentMcpTool) };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change an MCP server',
    body: mcpServerChanges,
    answers: { 200: z.object({ server: mcpServer, bearerToken: bearerToken.optional() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'END_USER_NOT_FOUND'],
    handle: async ({ gateway, principal, params, body: { endUserId, ...changes } }) => {
      const current = await getMcpServer(gateway, principal, params.id);
      const { server, bearerToken } = await updateMcpServer(gateway, actorOf(principal), current, {
        ...changes,
        endUserExternalId: endUserId,
      });
      return { server: presentMcpServer(server, gateway.config.baseUrl), ...(bearerToken && { bearerToken }) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete an MCP server with its tools and tokens',
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      await deleteMcpServer(gateway, actorOf(principal), server);
      return { deleted: true, id: server.id };
    },
  }),
  route({
    ...one,
    path: '/api/v1/mcp/servers/{id}/regenerate-token',
    method: 'post',
    summary: 'Replace the static bearer token; the old token becomes invalid immediately',
    body: emptyBody,
    answers: { 200: z.object({ bearerToken, mcpEndpoint: z.string() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'MCP_BEARER_DISABLED', 'MCP_STATIC_BEARER_INCOMPATIBLE'],
    handle: async ({ gateway, principal, params }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      return {
        bearerToken: await regenerateToken(gateway, actorOf(principal), server),
        mcpEndpoint: mcpEndpoint(server, gateway.config.baseUrl),
      };
    },
  }),
];
