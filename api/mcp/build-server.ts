import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { z } from 'zod';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Issue } from '../../domain/bound-error.ts';
import { validationError } from '../../domain/errors.ts';
import type { ServerMode } from '../../domain/mcp-server.ts';
import { toGatewayError } from '../middleware/render-errors.ts';
import { codeMode } from './code-mode.ts';
import { approvalOfState, callStateCodec, elicitUrl, requireUrl } from './elicit-url.ts';
import type { Mode } from './mode.ts';
import { presentFailure } from './present-call.ts';
import type { ToolPages } from './tool-pages.ts';
import { toolsMode } from './tools-mode.ts';
import { withProgress } from './with-progress.ts';

const MODES: Record<ServerMode, Mode> = { TOOLS: toolsMode, CODE: codeMode };
const VERSION = '1.0.0';
const validator = new AjvJsonSchemaValidator();

/**
 * Without a schema, the library would answer -32603 instead of -32602 to a cursor that is not a
 * string.
 */
const LIST_PARAMS = z.object({ cursor: z.string().optional() });

/** The tools of the session's server. */
export function toolsOf(gateway: Gateway, session: McpSession): Promise<ToolPages> {
  return MODES[session.server.mode].listTools(gateway, session);
}

/**
 * The traits of an MCP server that depend on the protocol revision and the session of the request.
 */
export interface ServerTraits {
  /** Whether clients can subscribe to changes of the tool list. Has no effect on CODE servers. */
  listChanged: boolean;
  /** Whether the session id says that the client opens URLs. */
  inUrlSession: boolean;
}

/**
 * Builds the `Server` object of one HTTP request. If `unreadable` names problems of the arguments,
 * a tool call is refused.
 */
export function buildServer(
  gateway: Gateway,
  session: McpSession,
  requestId: string,
  unreadable: readonly Issue[],
  { listChanged, inUrlSession }: ServerTraits,
): Server {
  const { name, mode, description } = session.server;
  const { instructions, callTool } = MODES[mode];
  const server = new Server(
    { name, version: VERSION, ...(description && { description }) },
    {
      capabilities: { tools: listChanged && mode === 'TOOLS' ? { listChanged } : {} },
      jsonSchemaValidator: validator,
      requestState: { verify: callStateCodec(gateway).verify },
      ...(instructions && { instructions }),
    },
  );
  const safely = <Value>(work: () => Promise<Value>) => work().catch((error) => Promise.reject(toProtocolError(gateway, requestId, error)));

  server.setRequestHandler('tools/list', { params: LIST_PARAMS }, ({ cursor }) =>
    safely(async () => {
      const { tools, ...rest } = (await toolsOf(gateway, session)).after(cursor);
      return { tools: tools as Tool[], ...rest };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    safely(() =>
      withProgress(mcpReq, async () => {
        if (unreadable.length > 0) return refusal(validationError(unreadable));
        const { name, arguments: input = {} } = params;
        const approvalId = approvalOfState(session, name, mcpReq.requestState());
        const result = await callTool(gateway, session, name, input, { signal: mcpReq.signal, approvalId }).catch((error) =>
          refusal(error),
        );
        return inUrlSession ? requireUrl(session, input, result) : elicitUrl(gateway, session, name, result, mcpReq);
      }),
    ),
  );
  return server;
}

/** Converts an error to a tool result. Rethrows protocol errors and internal errors. */
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
