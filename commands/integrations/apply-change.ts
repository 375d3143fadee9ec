import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import type { Db } from '../../infra/database.ts';
import type { PackedAction } from '../../integrations/custom/pack-integration.ts';
import { type CustomAction, deleteCustomAction, putCustomActions } from '../../store/custom-actions.ts';
import type { FoundChange } from './find-changes.ts';
import { type HeadPart, withPart } from './head-parts.ts';

/**
 * Stores the changed actions of an integration, and returns its new head: everything but the
 * actions. The caller must store the head and raise the version by the number of changes.
 */
export async function applyChanges(
  tx: Db,
  { id, head }: Pick<CustomIntegration, 'id' | 'head'>,
  changes: readonly Pick<FoundChange, 'kind' | 'actionName' | 'after'>[],
): Promise<Record<string, unknown>> {
  const put: CustomAction[] = [];
  let changed = head;
  for (const { kind, actionName, after } of changes) {
    if (kind === 'action_removed') await deleteCustomAction(tx, id, actionName!);
    else if (actionName !== null) put.push(after as unknown as PackedAction);
    else changed = withPart(changed, kind as HeadPart, after!);
  }
  await putCustomActions(tx, id, put);
  return changed;
}
