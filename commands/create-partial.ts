import { GatewayError } from '../domain/errors.ts';
import { isDuplicate } from '../infra/database.ts';
import { clearDefaultPartial, insertPartial, type NewPartial, type PlacedPartial } from '../store/partials.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';
import { changeSurface } from './change-surface.ts';
import { assertRoomForPartials, checkPartialTarget } from './check-partial.ts';
import type { Gateway } from './gateway.ts';
import { resolveInstance } from './resolve-instance.ts';

export type CreatePartial = Omit<NewPartial, 'workspaceIntegrationId'> & {
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
};

/**
 * Creates a partial; as a default it takes the place of the default that its target had (decisions section 2, Partials).
 * Throws INTEGRATION_NOT_FOUND, ACTION_NOT_FOUND, what resolving the instance throws, DUPLICATE, QUOTA_EXCEEDED.
 */
export async function createPartial(gateway: Gateway, { integrationAlias, ...fields }: CreatePartial): Promise<PlacedPartial> {
  checkPartialTarget(gateway.catalog, fields);
  return changeSurface(gateway.db, fields.workspaceId, async (tx) => {
    const namesInstance = fields.workspaceIntegrationId !== undefined || integrationAlias !== undefined;
    const instances = namesInstance ? await listWorkspaceIntegrations(tx, fields.orgId, fields.workspaceId) : [];
    const instance = namesInstance ? resolveInstance(instances, { ...fields, integrationAlias }) : null;
    const partial = { ...fields, workspaceIntegrationId: instance?.id ?? null };
    if (partial.isDefault) await clearDefaultPartial(tx, targetOf(partial));
    const created = await insertPartial(tx, partial);
    await assertRoomForPartials(tx, partial.workspaceId);
    return created;
  }).catch(refuseTakenName);
}

/** What a default is a default for. */
export function targetOf({ workspaceId, integrationName, workspaceIntegrationId, actionName, triggerName }: NewPartial) {
  return { workspaceId, integrationName, workspaceIntegrationId, actionName, triggerName };
}

/** Turns a broken unique constraint on the name into DUPLICATE. */
export function refuseTakenName(error: unknown): never {
  if (isDuplicate(error, 'partials_name'))
    throw new GatewayError('DUPLICATE', 'Another partial of this integration in the workspace has this name.');
  throw error;
}
