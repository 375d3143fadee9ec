import type { Actor } from '../../domain/approval.ts';
import { partialActivity } from '../../domain/audit/setup-activity.ts';
import { validationError } from '../../domain/errors.ts';
import type { InputPartial } from '../../domain/input-partial.ts';
import type { Db } from '../../infra/database.ts';
import { renamePartialInMcpTools } from '../../store/mcp-tools.ts';
import { clearDefaultPartial, findPartial, type NewPartial, type PlacedPartial, updatePartial as updateRow } from '../../store/partials.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { assertRoomForPartials, enforcedKeyIssues } from './check-partial.ts';
import { refuseTakenName, targetOf } from './create-partial.ts';
import { noSuchPartial } from './get-partial.ts';

const FIELDS = ['name', 'description', 'values', 'enforcedKeys', 'isDefault'] as const;

export type PartialChanges = Partial<Pick<NewPartial, (typeof FIELDS)[number]>>;

/**
 * Changes a partial. If its name changes, the tools that refer to the partial are updated. Throws
 * PARTIAL_NOT_FOUND, VALIDATION_ERROR, DUPLICATE, QUOTA_EXCEEDED.
 */
export async function updatePartial(
  gateway: Gateway,
  by: Actor,
  { orgId, workspaceId, id }: Pick<InputPartial, 'orgId' | 'workspaceId' | 'id'>,
  changes: PartialChanges,
): Promise<PlacedPartial> {
  const change = async (tx: Db) => {
    const partial = await findPartial(tx, orgId, id);
    if (!partial) throw noSuchPartial();
    const issues = enforcedKeyIssues({ ...partial, ...changes });
    if (issues.length > 0) throw validationError(issues);
    if (changes.isDefault && !partial.isDefault) await clearDefaultPartial(tx, targetOf(partial));
    if (changes.name !== undefined && changes.name !== partial.name) await renamePartialInMcpTools(tx, partial, changes.name);
    const updated = (await updateRow(tx, orgId, id, changes))!;
    if (changes.values || changes.enforcedKeys) await assertRoomForPartials(tx, workspaceId);
    const changed = changedFields(partial, updated, FIELDS);
    if (changed.length > 0) await recordActivity(tx, partialActivity('partial.updated', updated, by, { changed }));
    return updated;
  };
  return changeSurface(gateway.db, workspaceId, change, noSuchPartial).catch(refuseTakenName);
}
