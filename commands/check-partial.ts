import { GatewayError, type Issue } from '../domain/errors.ts';
import type { InputPartial } from '../domain/input-partial.ts';
import { PARTIAL } from '../domain/limits.ts';
import type { Db } from '../infra/database.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { measurePartials } from '../store/partials.ts';

/** Throws INTEGRATION_NOT_FOUND, or ACTION_NOT_FOUND for an action or a trigger that the integration does not have. */
export function checkPartialTarget(catalog: Catalog, target: Pick<InputPartial, 'integrationName' | 'actionName' | 'triggerName'>): void {
  const { integrationName, actionName, triggerName } = target;
  const integration = catalog.get(integrationName);
  if (actionName !== null) catalog.getAction(integrationName, actionName);
  if (triggerName !== null)
    throw new GatewayError('ACTION_NOT_FOUND', `${integration.name} has no trigger named ${JSON.stringify(triggerName)}; it has none.`);
}

/** An issue for every enforced key that has no value. */
export function enforcedKeyIssues({ values, enforcedKeys }: Pick<InputPartial, 'values' | 'enforcedKeys'>): Issue[] {
  return enforcedKeys.flatMap((key, index) =>
    Object.hasOwn(values, key) ? [] : [{ path: `enforcedKeys.${index}`, message: 'is not a key of values' }],
  );
}

/** To be called in the transaction that adds to them: every call loads all partials of its workspace. Throws QUOTA_EXCEEDED. */
export async function assertRoomForPartials(tx: Db, workspaceId: string): Promise<void> {
  const { count, sizeBytes } = await measurePartials(tx, workspaceId);
  const { maxOfWorkspace, maxBytesOfWorkspace } = PARTIAL;
  if (count > maxOfWorkspace) throw tooMuch(`${maxOfWorkspace} partials`, maxOfWorkspace);
  if (sizeBytes > maxBytesOfWorkspace)
    throw tooMuch(`${maxBytesOfWorkspace} bytes of values in its partials together`, maxBytesOfWorkspace);
}

function tooMuch(what: string, quota: number): GatewayError {
  return new GatewayError('QUOTA_EXCEEDED', `A workspace may have ${what}. Delete some first.`, { quota });
}
