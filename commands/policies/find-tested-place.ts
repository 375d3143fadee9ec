import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { DEFAULT_STRATEGY } from '../../domain/policies/policy.ts';
import type { FilterSubject } from '../../domain/policies/policy-filters.ts';
import { findMcpServer } from '../../store/mcp-servers.ts';
import { findWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';

/**
 * The alias and the connection strategy of a tested call. Missing values come from the workspace
 * integration that the call names; without one, the alias is the name of the integration, and the
 * strategy is the default. Throws NOT_FOUND and VALIDATION_ERROR.
 */
export async function findTestedPlace(
  { db }: Pick<Gateway, 'db'>,
  orgId: string,
  call: FilterSubject,
): Promise<Pick<FilterSubject, 'integrationAlias' | 'connectionStrategy'>> {
  const { workspaceId, mcpServerId, workspaceIntegrationId } = call;
  const [server, instance] = await Promise.all([
    mcpServerId === null ? undefined : findMcpServer(db, orgId, mcpServerId),
    workspaceIntegrationId === null ? undefined : findWorkspaceIntegration(db, orgId, workspaceId, workspaceIntegrationId),
  ]);
  if (mcpServerId !== null && server?.workspaceId !== workspaceId)
    throw new GatewayError('NOT_FOUND', 'The workspace has no such MCP server.');
  if (workspaceIntegrationId === null)
    return {
      integrationAlias: call.integrationAlias ?? call.integrationName,
      connectionStrategy: call.connectionStrategy ?? DEFAULT_STRATEGY,
    };
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');

  const issues: Issue[] = [];
  const { integrationName, alias, connectionStrategy } = instance;
  if (integrationName !== call.integrationName)
    issues.push({
      path: 'context.workspaceIntegrationId',
      message: `is an instance of ${integrationName}, not of ${call.integrationName}`,
    });
  if (call.integrationAlias !== null && call.integrationAlias !== alias)
    issues.push({ path: 'context.integrationAlias', message: `the named workspace integration has the alias ${alias}` });
  if (issues.length > 0) throw validationError(issues);
  return { integrationAlias: alias, connectionStrategy: call.connectionStrategy ?? connectionStrategy };
}
