import { z } from 'zod';
import { readDeclarations } from '../../../../../commands/catalogue/read-declarations.ts';
import { getMcpServer } from '../../../../../commands/mcp-servers/get-mcp-server.ts';
import { GatewayError } from '../../../../../domain/errors.ts';
import { type Route, route } from '../../../../route.ts';
import { idParams } from '../../../../schemas.ts';

/** TypeScript declarations of the actions of a CODE server (specification 4.2). */
export const declarationRoutes: Route[] = [
  route({
    tag: 'MCP servers',
    method: 'get',
    isCompressible: true,
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
      return { declarations: readDeclarations(surface.catalog, surface, { aliases: [params.alias], detail: 'full' }) };
    },
  }),
];
