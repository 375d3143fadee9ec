import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { SurfaceReader } from '../../commands/catalogue/describe-surface.ts';
import { listAliasesOf, readDeclarations } from '../../commands/catalogue/read-declarations.ts';
import { searchActions } from '../../commands/catalogue/search-actions.ts';
import { executeCode } from '../../commands/code-runs/execute-code.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { type ErrorCode, validationError } from '../../domain/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { codeObjectSchema } from '../../integrations/schema/value-schema.ts';
import { listConnected } from '../../store/usable-connections.ts';
import { META_INPUTS, META_TOOLS, type MetaTool } from './meta-tools.ts';
import type { CallRequest, Mode } from './mode.ts';
import { presentCodeRun } from './present-code-run.ts';
import { surfaceOf, unknownTool } from './tools-mode.ts';

type Input<Name extends MetaTool> = z.output<(typeof META_INPUTS)[Name]>;

/**
 * The mode CODE: three tools that search actions, read the declarations of actions, and run code.
 */
export const codeMode: Mode = {
  instructions:
    'Find actions with svc_search, read their declarations with svc_read_api, then do the whole task in one svc_execute: put loops, conditions and all calls into the code.',
  listTools: async () => META_TOOLS,
  async callTool(gateway, session, name, input, request) {
    switch (name) {
      case 'svc_search':
        return search(gateway, session, checked(name, input));
      case 'svc_read_api':
        return readApi(gateway, session, checked(name, input));
      case 'svc_execute':
        return execute(gateway, session, checked(name, continuing(input, request), 'INVALID_CODE_EXECUTE_REQUEST'), request);
      default:
        throw unknownTool(name);
    }
  },
};

async function search(gateway: Gateway, session: McpSession, input: Input<'svc_search'>): Promise<CallToolResult> {
  const [surface, reader] = await Promise.all([surfaceOf(gateway, session), readerOf(gateway, session)]);
  const { hint, ...found } = searchActions(surface.catalog, surface, reader, input);
  const texts = [JSON.stringify(found), hint ?? []].flat();
  return { content: texts.map((text) => ({ type: 'text', text })), structuredContent: found, isError: false };
}

/** In characters. */
const DECLARATIONS_MAX_LENGTH = 64_000;

async function readApi(gateway: Gateway, session: McpSession, input: Input<'svc_read_api'>): Promise<CallToolResult> {
  const surface = await surfaceOf(gateway, session);
  const aliases = [input.alias ?? [], input.aliases ?? []].flat();
  const actions = [input.action ?? [], input.actions ?? []].flat();
  if (aliases.length === 0) {
    const message = `missing key "alias": name one alias here, or several in aliases. ${listAliasesOf(surface, actions)}`.trimEnd();
    throw validationError([{ path: 'alias', message }]);
  }
  const text = readDeclarations(surface.catalog, surface, {
    aliases,
    actions: actions.length > 0 ? actions : undefined,
    detail: input.detail ?? 'signatures',
    maxLength: DECLARATIONS_MAX_LENGTH,
  });
  return { content: [{ type: 'text', text }], structuredContent: { declarations: text }, isError: false };
}

async function execute(
  gateway: Gateway,
  { principal, server }: McpSession,
  input: Input<'svc_execute'>,
  { signal }: CallRequest,
): Promise<CallToolResult> {
  const answer = await executeCode(gateway, { server, requestedBy: actorOf(principal), endUserId: principal.endUserId, signal, ...input });
  return { ...presentCodeRun(gateway, answer) };
}

/** On a repeated call, the approval id replaces the code, so that no second run starts. */
function continuing(input: Record<string, unknown>, { approvalId }: CallRequest): Record<string, unknown> {
  const { code, ...others } = input;
  return approvalId === undefined ? input : { ...others, approvalId };
}

async function readerOf(gateway: Gateway, { principal, server }: McpSession): Promise<SurfaceReader> {
  const [policies, connections] = await Promise.all([gateway.policies.of(principal), listConnected(gateway.db, principal)]);
  return { workspaceId: server.workspaceId, mcpServerId: server.id, endUserId: principal.endUserId, policies, connections };
}

const CHECKED_INPUTS = Object.fromEntries(
  Object.entries(META_INPUTS).map(([name, schema]) => [name, codeObjectSchema(schema as z.ZodObject)]),
);

function checked<Name extends MetaTool>(name: Name, input: Record<string, unknown>, code?: ErrorCode): Input<Name> {
  const parsed = parseInput({ input: CHECKED_INPUTS[name]! }, input);
  if (!parsed.ok) throw validationError(parsed.issues, code);
  return parsed.input as Input<Name>;
}
