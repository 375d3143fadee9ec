import { GatewayError, validationError } from '../domain/errors.ts';
import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import { findWorkspaceIntegration, listTargets } from '../store/workspace-integrations.ts';
import type { Gateway } from './gateway.ts';

export interface InstanceTarget {
  orgId: string;
  workspaceId: string;
  integrationName: string;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
}

/**
 * The configured instance that a call means, by id, alias or as the only one (specification 4.7); null where the workspace has not
 * configured the integration and the call names none. Throws NOT_FOUND, AMBIGUOUS_INTEGRATION.
 */
export async function resolveInstance(gateway: Gateway, target: InstanceTarget): Promise<WorkspaceIntegration | null> {
  if (target.workspaceIntegrationId !== undefined) return byId(gateway, target, target.workspaceIntegrationId);
  const [first, ...others] = await listTargets(gateway.db, target);
  if (others.length > 0) {
    const aliases = [first!, ...others].map((instance) => instance.alias);
    throw new GatewayError(
      'AMBIGUOUS_INTEGRATION',
      `${target.integrationName} is configured several times. Name one: integrationAlias ${aliases.join(', ')}.`,
      { aliases },
    );
  }
  if (!first && target.integrationAlias !== undefined) {
    throw new GatewayError('NOT_FOUND', `The workspace has no ${target.integrationName} under the alias ${target.integrationAlias}.`);
  }
  return first ?? null;
}

async function byId(gateway: Gateway, target: InstanceTarget, id: string): Promise<WorkspaceIntegration> {
  const instance = await findWorkspaceIntegration(gateway.db, target.orgId, target.workspaceId, id);
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');
  const issues = [];
  if (instance.integrationName !== target.integrationName) {
    issues.push({
      path: 'workspaceIntegrationId',
      message: `is an instance of ${instance.integrationName}, not of ${target.integrationName}`,
    });
  }
  if (target.integrationAlias !== undefined && instance.alias !== target.integrationAlias) {
    issues.push({ path: 'integrationAlias', message: `the workspace integration named has the alias ${instance.alias}` });
  }
  if (issues.length > 0) throw validationError(issues);
  return instance;
}
