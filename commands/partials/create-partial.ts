import type { Actor } from '../../domain/approval.ts';
import { partialActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isDuplicate } from '../../infra/database.ts';
import { clearDefaultPartial, insertPartial, type NewPartial, type PlacedPartial } from '../../store/partials.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { resolveInstance } from '../workspace-integrations/resolve-instance.ts';
import { assertRoomForPartials, checkPartialTarget } from './check-partial.ts';

export type CreatePartial = Omit<NewPartial, 'workspaceIntegrationId'> & {
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
};

/**
 * Creates a partial. A new default partial replaces the earlier default of its target (contract
 * decisions 2, Partials). Throws DUPLICATE, QUOTA_EXCEEDED, NOT_FOUND, and the errors of
 * `checkPartialTarget` and `resolveInstance`.
 */
export async function createPartial(gateway: Gateway, by: Actor, { integrationAlias, ...fields }: CreatePartial): Promise<PlacedPartial> {
  await checkPartialTarget(gateway.catalog, fields.orgId, fields);
  return changeSurface(gateway.db, fields.workspaceId, async (tx) => {
    await gateway.catalog.hold(fields.orgId, fields.integrationName, tx);
    const namesInstance = fields.workspaceIntegrationId !== undefined || integrationAlias !== undefined;
    const instances = namesInstance ? await listWorkspaceIntegrations(tx, fields.orgId, fields.workspaceId) : [];
    const instance = namesInstance ? resolveInstance(instances, { ...fields, integrationAlias }) : null;
    const partial = { ...fields, workspaceIntegrationId: instance?.id ?? null };
    if (partial.isDefault) await clearDefaultPartial(tx, targetOf(partial));
    const created = await insertPartial(tx, partial);
    await assertRoomForPartials(tx, partial.workspaceId);
    await recordActivity(tx, partialActivity('partial.created', created, by));
    return created;
  }).catch(refuseTakenName);
}

/** The target that a partial applies to. */
export function targetOf({ workspaceId, integrationName, workspaceIntegrationId, actionName, triggerName }: NewPartial) {
  return { workspaceId, integrationName, workspaceIntegrationId, actionName, triggerName };
}

/** Throws DUPLICATE if the name is taken. Rethrows any other error. */
export function refuseTakenName(error: unknown): never {
  if (isDuplicate(error, 'partials_name'))
    throw new GatewayError('DUPLICATE', 'Another partial of this integration in the workspace has this name.');
  throw error;
}
