import { GatewayError, validationError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';

export interface InstanceTarget {
  integrationName: string;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
}

/**
 * Finds the configured instance that a call uses (specification 4.7). Null if the workspace has
 * not configured the integration and the call names no instance. Throws NOT_FOUND,
 * AMBIGUOUS_INTEGRATION or VALIDATION_ERROR.
 */
export function resolveInstance(instances: readonly WorkspaceIntegration[], target: InstanceTarget): WorkspaceIntegration | null {
  if (target.workspaceIntegrationId !== undefined) return byId(instances, target, target.workspaceIntegrationId);
  const [first, ...others] = instances.filter(
    ({ integrationName, alias }) =>
      integrationName === target.integrationName && (target.integrationAlias === undefined || alias === target.integrationAlias),
  );
  if (others.length > 0) {
    const aliases = [first!, ...others].map((instance) => instance.alias);
    throw new GatewayError(
      'AMBIGUOUS_INTEGRATION',
      `${target.integrationName} is configured several times. Send integrationAlias with one of these: ${aliases.join(', ')}.`,
      { aliases },
    );
  }
  if (!first && target.integrationAlias !== undefined) {
    throw new GatewayError('NOT_FOUND', `The workspace has no ${target.integrationName} under the alias ${target.integrationAlias}.`);
  }
  return first ?? null;
}

function byId(instances: readonly WorkspaceIntegration[], target: InstanceTarget, wanted: string): WorkspaceIntegration {
  const instance = instances.find(({ id }) => id === wanted);
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');
  const issues = [];
  if (instance.integrationName !== target.integrationName) {
    issues.push({
      path: 'workspaceIntegrationId',
      message: `is an instance of ${instance.integrationName}, not of ${target.integrationName}`,
    });
  }
  if (target.integrationAlias !== undefined && instance.alias !== target.integrationAlias) {
    issues.push({ path: 'integrationAlias', message: `the named workspace integration has the alias ${instance.alias}` });
  }
  if (issues.length > 0) throw validationError(issues);
  return instance;
}
