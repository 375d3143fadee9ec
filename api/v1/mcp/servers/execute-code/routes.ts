import { executeCode } from '../../../../../commands/code-runs/execute-code.ts';
import { assertRunsCode } from '../../../../../commands/mcp-servers/get-code-server.ts';
import { enterMcpServer } from '../../../../../commands/mcp-servers/get-mcp-server.ts';
import { actorOf } from '../../../../../domain/principal.ts';
import { presentCodeRun } from '../../../../mcp/present-code-run.ts';
import { type Route, route } from '../../../../route.ts';
import { idParams } from '../../../../schemas.ts';
import { executeCodeAnswer, executeCodeRequest } from './schema.ts';

/** Code runs over REST (specification 4.2). */
export const executeCodeRoutes: Route[] = [
  route({
    tag: 'MCP servers',
    method: 'post',
    path: '/api/v1/mcp/servers/{id}/execute-code',
    summary: 'Run code on a CODE server, or continue a run after its approval',
    params: idParams,
    body: executeCodeRequest,
    invalid: 'INVALID_CODE_EXECUTE_REQUEST',
    answers: { 200: executeCodeAnswer },
    errors: [
      'NOT_FOUND',
      'APPROVAL_NOT_FOUND',
      'SCOPE_DENIED',
      'SERVER_SUSPENDED',
      'QUOTA_EXCEEDED',
      'MCP_CODE_MODE_REQUIRED',
      'CODE_RUN_RESULT_EXPIRED',
    ],
    read: ({ lookups }, keyHash, { id }) => lookups.keyAndMcpServer(keyHash, id),
    handle: async ({ gateway, principal, record, body }) => {
      const server = assertRunsCode(enterMcpServer(principal, record));
      const answer = await executeCode(gateway, { server, requestedBy: actorOf(principal), endUserId: server.endUserExternalId, ...body });
      return presentCodeRun(gateway, answer);
    },
  }),
];
