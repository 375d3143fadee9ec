import type { PlacedPartial } from '../../../store/partials.ts';

export function presentPartial(partial: PlacedPartial) {
  return {
    id: partial.id,
    orgId: partial.orgId,
    workspaceId: partial.workspaceId,
    integrationName: partial.integrationName,
    workspaceIntegrationId: partial.workspaceIntegrationId,
    integrationAlias: partial.integrationAlias,
    actionName: partial.actionName,
    triggerName: partial.triggerName,
    name: partial.name,
    description: partial.description,
    values: partial.values,
    enforcedKeys: partial.enforcedKeys,
    isDefault: partial.isDefault,
    createdAt: partial.createdAt.toISOString(),
    updatedAt: partial.updatedAt.toISOString(),
  };
}
