import { validationError } from '../../domain/errors.ts';
import type { PropOption } from '../../integrations/definition.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { inputSchema } from '../../integrations/schema/json-schema.ts';
import type { McpSession } from '../access/authenticate-mcp-token.ts';
import { targetOfTool } from '../calls/call-tool.ts';
import { withConnectUrl } from '../connect/with-connect-url.ts';
import { resolveConnection } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { HelperTool } from '../surfaces/helper-tools.ts';
import { askProperty } from './ask-property.ts';
import { assertMayAsk } from './assert-may-ask.ts';

/**
 * The choices that a helper tool lists, for the account that a call of the tool would use. Throws
 * VALIDATION_ERROR, the errors of `assertMayAsk` and `askProperty`, and CONNECTION_REQUIRED with a
 * connect link if possible.
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
  const target = { orgId, workspaceId, endUserId, ...targetOfTool(tool) };
  const { integrationName } = tool;
  try {
    const integration = { name: integrationName, auth: tool.action.auth };
    const account = await resolveConnection(gateway, { ...target, integration });
    return await askProperty(gateway, account, tool, request, listOptions);
  } catch (error) {
    throw await withConnectUrl(gateway, { ...target, integrationName }, error);
  }
}
