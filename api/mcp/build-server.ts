import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { McpSession } from '../../commands/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { ServerMode } from '../../domain/mcp-server.ts';
import { toGatewayError } from '../middleware/render-errors.ts';
import { codeMode } from './code-mode.ts';
import type { Mode } from './mode.ts';
import { presentFailure } from './present-call.ts';
import { toolsMode } from './tools-mode.ts';
import { withProgress } from './with-progress.ts';

const MODES: Record<ServerMode, Mode> = { TOOLS: toolsMode, CODE: codeMode };
const VERSION = '1.0.0';
const validator = new AjvJsonSchemaValidator();

/** The protocol server of one request; it keeps nothing, so any replica may answer the next one. */
export function buildServer(gateway: Gateway, session: McpSession, requestId: string): Server {
  const { name, mode, description } = session.server;
  const { instructions, listTools, callTool } = MODES[mode];
  const server = new Server(
    { name, version: VERSION, ...(description && { description }) },
    { capabilities: { tools: {} }, jsonSchemaValidator: validator, ...(instructions && { instructions }) },
  );
  const safely = <Value>(work: () => Promise<Value>) => work().catch((error) => Promise.reject(toProtocolError(gateway, requestId, error)));

  server.setRequestHandler('tools/list', () => safely(async () => ({ tools: (await listTools(gateway, session)) as Tool[] })));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    safely(() =>
      withProgress(mcpReq, () =>
        callTool(gateway, session, params.name, params.arguments ?? {}, { signal: mcpReq.signal }).catch((error) => refusal(error)),
      ),
    ),
  );
  return server;
}

/** What the caller can act on is a result; anything else stays thrown. */
function refusal(thrown: unknown): CallToolResult {
  if (thrown instanceof ProtocolError) throw thrown;
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') throw thrown;
  return presentFailure(error);
}

function toProtocolError(gateway: Gateway, requestId: string, thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') gateway.logger.error({ requestId, err: thrown }, 'MCP request failed');
  return new ProtocolError(ProtocolErrorCode.InternalError, error.message, { code: error.code });
}
