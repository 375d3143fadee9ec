import { GatewayError } from '../../domain/errors.ts';
import type { McpServer, McpTool } from '../../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import { actionOf } from '../../integrations/catalog.ts';
import { findConnection } from '../../store/connections.ts';
import { listMcpTools } from '../../store/mcp-tools.ts';
import { listPartialsOfWorkspace } from '../../store/partials.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { choosePartials } from '../surfaces/choose-partials.ts';

type ToolTarget = Pick<McpTool, 'integrationName' | 'integrationAlias' | 'actionName' | 'connectionId' | 'partialIds'>;

/**
 * Validates a tool in the order of contract decisions 2 (MCP tools), and throws the first error.
 */
export async function checkMcpTool(gateway: Gateway, tx: Db, server: McpServer, tool: ToolTarget): Promise<void> {
  await checkToolAlias(tx, server, tool);
  actionOf(await gateway.catalog.get(server.orgId, tool.integrationName, tx), tool.actionName);
  await gateway.catalog.hold(server.orgId, tool.integrationName, tx);
  await checkToolAction(tx, server, tool);
  await checkToolConnection(tx, server, tool);
  await checkToolPartials(tx, server, tool);
}

/**
 * Throws DUPLICATE if another tool of the MCP server has the same alias and action, and
 * ALIAS_CONFLICT if the alias is used for another integration. `ownId` is the id of the tool if the
 * MCP server already has the tool.
 */
export async function checkToolAlias(tx: Db, server: McpServer, tool: ToolTarget, ownId?: string): Promise<void> {
  const others = (await listMcpTools(tx, server.id)).filter(
    ({ id, integrationAlias }) => id !== ownId && integrationAlias === tool.integrationAlias,
  );
  const isSame = ({ integrationName, actionName }: McpTool) => integrationName === tool.integrationName && actionName === tool.actionName;
  if (others.some(isSame))
    throw new GatewayError('DUPLICATE', `This server already has ${tool.actionName} under the alias ${tool.integrationAlias}.`);

  const instances = await listWorkspaceIntegrations(tx, server.orgId, server.workspaceId);
  const users = [...others, ...instances.filter(({ alias }) => alias === tool.integrationAlias)];
  const other = users.find(({ integrationName }) => integrationName !== tool.integrationName);
  if (other)
    throw new GatewayError(
      'ALIAS_CONFLICT',
      `The alias ${tool.integrationAlias} is used for ${other.integrationName} here. Choose another alias.`,
    );
}

/**
 * Throws ACTION_NOT_ALLOWED if the workspace integration with the tool's alias does not enable the
 * action.
 */
export async function checkToolAction(tx: Db, server: McpServer, tool: ToolTarget): Promise<void> {
  const instance = await findInstance(tx, server, tool);
  if (instance && !enablesAction(instance, tool.actionName))
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${tool.actionName} is not enabled on ${instance.alias}.`);
}

/**
 * Only an MCP server that is scoped to an end user may use a connection of that end user. Throws
 * CONNECTION_NOT_FOUND.
 */
export async function checkToolConnection(
  tx: Db,
  { orgId, workspaceId, endUserId }: McpServer,
  { connectionId, integrationName }: ToolTarget,
): Promise<void> {
  if (connectionId === null) return;
  const connection = await findConnection(tx, orgId, connectionId);
  const fits =
    connection?.integrationName === integrationName &&
    (connection.workspaceId === null || connection.workspaceId === workspaceId) &&
    (connection.endUserId === null || connection.endUserId === endUserId);
  if (!fits) throw new GatewayError('CONNECTION_NOT_FOUND', `The workspace has no such connection of ${integrationName}.`);
}

/**
 * A tool under the alias of a workspace integration may also use the partials of that integration.
 * Throws PARTIAL_NOT_FOUND, PARTIAL_MISMATCH.
 */
export async function checkToolPartials(tx: Db, server: McpServer, tool: ToolTarget): Promise<void> {
  if (tool.partialIds.length === 0) return;
  const partials = await listPartialsOfWorkspace(tx, server.workspaceId);
  const instance = await findInstance(tx, server, tool);
  choosePartials(partials, { ...tool, workspaceIntegrationId: instance?.id ?? null }, tool.partialIds);
}

async function findInstance(tx: Db, { orgId, workspaceId }: McpServer, tool: ToolTarget): Promise<WorkspaceIntegration | undefined> {
  const instances = await listWorkspaceIntegrations(tx, orgId, workspaceId);
  return instances.find(({ alias, integrationName }) => alias === tool.integrationAlias && integrationName === tool.integrationName);
}
