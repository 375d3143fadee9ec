import { z } from 'zod';
import { addMcpTool } from '../../../../../commands/mcp-servers/add-mcp-tool.ts';
import { getMcpServer } from '../../../../../commands/mcp-servers/get-mcp-server.ts';
import { removeMcpTool } from '../../../../../commands/mcp-servers/remove-mcp-tool.ts';
import { updateMcpTool } from '../../../../../commands/mcp-servers/update-mcp-tool.ts';
import { type Route, route } from '../../../../route.ts';
import { deleted, idParams, uuid } from '../../../../schemas.ts';
import { presentMcpTool } from './present.ts';
import { mcpTool, mcpToolChanges, newMcpTool } from './schema.ts';

const TAG = 'MCP tools';
const one = { tag: TAG, path: '/api/v1/mcp/servers/{id}/tools/{toolId}', params: z.object({ id: uuid, toolId: uuid }) } as const;

/** Tools of an MCP server (specification 4.2). */
export const mcpToolRoutes: Route[] = [
  route({
    tag: TAG,
    path: '/api/v1/mcp/servers/{id}/tools',
    method: 'post',
    summary: 'Add a tool manually',
    params: idParams,
    body: newMcpTool,
    answers: { 201: z.object({ tool: mcpTool }) },
    errors: [
      'NOT_FOUND',
      'SCOPE_DENIED',
      'DUPLICATE',
      'ALIAS_CONFLICT',
      'INTEGRATION_NOT_FOUND',
      'ACTION_NOT_FOUND',
      'ACTION_NOT_ALLOWED',
      'CONNECTION_NOT_FOUND',
      'PARTIAL_NOT_FOUND',
      'PARTIAL_MISMATCH',
    ],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      const tool = await addMcpTool(gateway, server, {
        integrationName: body.integrationName,
        integrationAlias: body.integrationAlias ?? body.integrationName,
        actionName: body.actionName,
        connectionId: body.connectionId ?? null,
        displayName: body.displayName ?? null,
        description: body.description ?? null,
        inputDefaults: body.inputDefaults ?? null,
        partialIds: body.partialIds,
        sortOrder: body.sortOrder,
      });
      return { tool: presentMcpTool(tool) };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change a tool',
    body: mcpToolChanges,
    answers: { 200: z.object({ tool: mcpTool }) },
    errors: [
      'NOT_FOUND',
      'SCOPE_DENIED',
      'DUPLICATE',
      'ALIAS_CONFLICT',
      'ACTION_NOT_ALLOWED',
      'CONNECTION_NOT_FOUND',
      'PARTIAL_NOT_FOUND',
      'PARTIAL_MISMATCH',
    ],
    handle: async ({ gateway, principal, params, body }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      return { tool: presentMcpTool(await updateMcpTool(gateway, server, params.toolId, body)) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Remove a tool',
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      await removeMcpTool(gateway, server, params.toolId);
      return { deleted: true, id: params.toolId };
    },
  }),
];
