import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { InputPartial } from '../../domain/input-partial.ts';
import { PARTIAL } from '../../domain/limits.ts';
import type { Db } from '../../infra/database.ts';
import { actionOf } from '../../integrations/catalog.ts';
import { measurePartials } from '../../store/partials.ts';
import type { OrgCatalog } from '../integrations/org-catalog.ts';

/**
 * Throws INTEGRATION_NOT_FOUND, ACTION_NOT_FOUND, and TRIGGER_NOT_FOUND for every trigger, because
 * no integration has one.
 */
export async function checkPartialTarget(
  catalog: OrgCatalog,
  orgId: string,
  target: Pick<InputPartial, 'integrationName' | 'actionName' | 'triggerName'>,
): Promise<void> {
  const { integrationName, actionName, triggerName } = target;
  const integration = await catalog.get(orgId, integrationName);
  if (actionName !== null) actionOf(integration, actionName);
  if (triggerName !== null)
    throw new GatewayError('TRIGGER_NOT_FOUND', `${integration.name} has no trigger named ${JSON.stringify(triggerName)}.`);
}

/** One issue for each enforced key that has no value. */
export function enforcedKeyIssues({ values, enforcedKeys }: Pick<InputPartial, 'values' | 'enforcedKeys'>): Issue[] {
  return enforcedKeys.flatMap((key, index) =>
    Object.hasOwn(values, key) ? [] : [{ path: `enforcedKeys.${index}`, message: 'is not a key of values' }],
  );
}

/**
 * Checks the limits of a workspace's partials, in the transaction of a change. Throws
 * QUOTA_EXCEEDED.
 */
export async function assertRoomForPartials(tx: Db, workspaceId: string): Promise<void> {
  const { count, sizeBytes } = await measurePartials(tx, workspaceId);
  const { maxOfWorkspace, maxBytesOfWorkspace } = PARTIAL;
  if (count > maxOfWorkspace) throw quotaExceeded(`${maxOfWorkspace} partials`, maxOfWorkspace);
  if (sizeBytes > maxBytesOfWorkspace)
    throw quotaExceeded(`${maxBytesOfWorkspace} bytes of values in all its partials`, maxBytesOfWorkspace);
}

function quotaExceeded(what: string, quota: number): GatewayError {
  return new GatewayError('QUOTA_EXCEEDED', `A workspace may have ${what}. Delete some first.`, { quota });
}
