import { validationError } from '../../domain/errors.ts';
import type { PropOption } from '../../integrations/definition.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { inputSchema } from '../../integrations/schema/json-schema.ts';
import type { McpSession } from '../access/authenticate-mcp-token.ts';
import { targetOfTool } from '../calls/call-tool.ts';
import { withConnectUrl } from '../connect/with-connect-url.ts';
import { currentCredentials } from '../connections/refresh-connection.ts';
import { resolveConnection } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { HelperTool } from '../surfaces/helper-tools.ts';
import type { SurfaceTool } from '../surfaces/surface-cache.ts';
import { askProperty, type PropertyAccount } from './ask-property.ts';
import { assertMayAsk } from './assert-may-ask.ts';

/**
 * The choices that a helper tool lists, with the account that a call of the tool would use. Throws
 * VALIDATION_ERROR, the errors of `assertMayAsk`, PARTIAL_NOT_FOUND, CONNECTION_REQUIRED with a
 * connect link, and ACTION_FAILED with the third party's message.
 */
export async function listChoices(
  gateway: Gateway,
  session: McpSession,
  { inputs, inputSchema: schema }: HelperTool,
  input: Record<string, unknown>,
): Promise<PropOption[]> {
  const parsed = parseInput({ input: inputSchema(schema) }, input);
  if (!parsed.ok) throw validationError(parsed.issues);
  const { action: named, search, ...given } = parsed.input;
  const { tool, input: propertyName, listOptions } = inputs.get(named as string) ?? inputs.values().next().value!;
  const { defaults, enforced } = tool.presets;
  const request = { input: { ...defaults, ...given, ...enforced }, searchValue: search as string | undefined };
  const { principal, server } = session;
  const { orgId, workspaceId, endUserId, policiesVersion } = principal;
  const place = { orgId, workspaceId, policiesVersion, source: 'mcp_tools' as const, mcpServerId: server.id, endUserId };
  await assertMayAsk(gateway, {
    ...place,
    instance: tool.instance,
    alias: tool.alias,
    action: tool.action,
    propertyName,
    input: request.input,
  });
  const account = await openAccount(gateway, session, tool);
  return askProperty(gateway, account, tool, request, listOptions);
}

async function openAccount(gateway: Gateway, { principal }: McpSession, tool: SurfaceTool): Promise<PropertyAccount> {
  const { orgId, workspaceId, endUserId } = principal;
  const { integrationName } = tool;
  const integration = { name: integrationName, auth: tool.action.auth };
  const request = { orgId, workspaceId, endUserId, ...targetOfTool(tool) };
  try {
    const connection = await resolveConnection(gateway, { ...request, integration });
    return { auth: connection && (await currentCredentials(gateway, connection)) };
  } catch (error) {
    throw await withConnectUrl(gateway, { ...request, integrationName }, error);
  }
}
