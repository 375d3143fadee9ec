import { z } from 'zod';
import { getMcpServer } from '../../../../../commands/get-mcp-server.ts';
import { readDeclarations } from '../../../../../commands/read-declarations.ts';
import { GatewayError } from '../../../../../domain/errors.ts';
import { type Route, route } from '../../../../route.ts';
import { idParams } from '../../../../schemas.ts';

/** What code on a CODE server may write (specification 4.2). */
export const declarationRoutes: Route[] = [
  route({
    tag: 'MCP servers',
    method: 'get',
    path: '/api/v1/mcp/servers/{id}/declarations/{alias}',
    summary: 'TypeScript declarations of the svc namespace for one alias of a CODE server',
    params: idParams.extend({ alias: z.string() }),
    answers: { 200: z.object({ declarations: z.string() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'MCP_CODE_MODE_REQUIRED'],
    handle: async ({ gateway, principal, params }) => {
      const server = await getMcpServer(gateway, principal, params.id);
      if (server.mode !== 'CODE')
        throw new GatewayError('MCP_CODE_MODE_REQUIRED', 'This MCP server is in TOOLS mode; declarations are for CODE mode.');
      const { id, orgId, workspaceId } = server;
      const surface = await gateway.surfaces.of({ serverId: id, orgId, workspaceId });
      return { declarations: readDeclarations(gateway.catalog, surface, { aliases: [params.alias], detail: 'full' }) };
    },
  }),
];
