import { GatewayError } from '../../domain/errors.ts';
import { enablesAction, type WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';

/**
 * Checks that an action can be called now. Throws ACTION_NOT_ALLOWED if the action is disabled,
 * ACTION_FAILED if it was removed at its source, and ACTION_CHANGED if a pending change blocks it.
 */
export function assertCallable({ own, name, integrationName }: CatalogAction, instance: WorkspaceIntegration | null): void {
  if (instance && !enablesAction(instance, name))
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${name} is not enabled on ${instance.alias}.`);
  if (!own) return;
  const action = `The action ${name} of ${integrationName}`;
  if (!own.isEnabled) throw new GatewayError('ACTION_NOT_ALLOWED', `${action} is disabled.`);
  if (own.pending === 'removed')
    throw new GatewayError('ACTION_FAILED', `${action} was removed at its source.`, { reason: 'removed', integrationName });
  if (own.pending === 'changed' && own.blocksOnChange)
    throw new GatewayError('ACTION_CHANGED', `${action} was changed at its source. An administrator has to accept or reject the change.`, {
      integrationName,
    });
}
