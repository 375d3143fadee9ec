import { GatewayError } from '../domain/errors.ts';
import type { McpServer, McpTool } from '../domain/mcp-server.ts';
import { enablesAction, type WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import { findConnection } from '../store/connections.ts';
import { listMcpTools } from '../store/mcp-tools.ts';
import { listPartialsOfWorkspace } from '../store/partials.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';
import { choosePartials } from './choose-partials.ts';
import type { Gateway } from './gateway.ts';

type ToolTarget = Pick<McpTool, 'integrationName' | 'integrationAlias' | 'actionName' | 'connectionId' | 'partialIds'>;

/**
 * Checks a tool that a server is to have, in the order of decisions section 2 (MCP tools).
 * Throws DUPLICATE, ALIAS_CONFLICT, INTEGRATION_NOT_FOUND, ACTION_NOT_FOUND, ACTION_NOT_ALLOWED, CONNECTION_NOT_FOUND, PARTIAL_NOT_FOUND,
 * PARTIAL_MISMATCH.
 */
export async function checkMcpTool(gateway: Gateway, tx: Db, server: McpServer, tool: ToolTarget): Promise<void> {
  await checkToolAlias(tx, server, tool);
  gateway.catalog.getAction(tool.integrationName, tool.actionName);
  await checkToolAction(tx, server, tool);
  await checkToolConnection(tx, server, tool);
  await checkToolPartials(tx, server, tool);
}

/** Throws DUPLICATE, ALIAS_CONFLICT. `ownId` is the tool itself, where the server has it already. */
export async function checkToolAlias(tx: Db, server: McpServer, tool: ToolTarget, ownId?: string): Promise<void> {
  const others = (await listMcpTools(tx, server.id)).filter(
    ({ id, integrationAlias }) => id !== ownId && integrationAlias === tool.integrationAlias,
  );
  const isSame = ({ integrationName, actionName }: McpTool) => integrationName === tool.integrationName && actionName === tool.actionName;
  if (others.some(isSame))
    throw new GatewayError('DUPLICATE', `This server has ${tool.actionName} under the alias ${tool.integrationAlias} already.`);

  const instances = await listWorkspaceIntegrations(tx, server.orgId, server.workspaceId);
  const users = [...others, ...instances.filter(({ alias }) => alias === tool.integrationAlias)];
  const other = users.find(({ integrationName }) => integrationName !== tool.integrationName);
  if (other)
    throw new GatewayError(
      'ALIAS_CONFLICT',
      `The alias ${tool.integrationAlias} stands for ${other.integrationName} here. Choose another one.`,
    );
}

/** A tool under the alias of an instance is one of its actions, and is never offered where the instance does not enable it. Throws ACTION_NOT_ALLOWED. */
export async function checkToolAction(tx: Db, server: McpServer, tool: ToolTarget): Promise<void> {
  const instance = await findInstance(tx, server, tool);
  if (instance && !enablesAction(instance, tool.actionName))
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${tool.actionName} is not enabled on ${instance.alias}.`);
}

/** An end user's own account serves the tools of a server that is scoped to this end user alone. Throws CONNECTION_NOT_FOUND. */
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

/** Partials of an instance fit the tools under its alias. Throws PARTIAL_NOT_FOUND, PARTIAL_MISMATCH. */
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
