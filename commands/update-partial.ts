import { validationError } from '../domain/errors.ts';
import type { InputPartial } from '../domain/input-partial.ts';
import type { Db } from '../infra/database.ts';
import { renamePartialInMcpTools } from '../store/mcp-tools.ts';
import { clearDefaultPartial, findPartial, type NewPartial, type PlacedPartial, updatePartial as updateRow } from '../store/partials.ts';
import { changeSurface } from './change-surface.ts';
import { assertRoomForPartials, enforcedKeyIssues } from './check-partial.ts';
import { refuseTakenName, targetOf } from './create-partial.ts';
import type { Gateway } from './gateway.ts';
import { noSuchPartial } from './get-partial.ts';

export type PartialChanges = Partial<Pick<NewPartial, 'name' | 'description' | 'values' | 'enforcedKeys' | 'isDefault'>>;

/**
 * Changes a partial, judged on the resulting state; its target stays. Tools that name it follow its new name; made the default, it takes the
 * place of its target's old one. Throws PARTIAL_NOT_FOUND, VALIDATION_ERROR, DUPLICATE, QUOTA_EXCEEDED.
 */
export async function updatePartial(
  gateway: Gateway,
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
    const updated = await updateRow(tx, orgId, id, changes);
    if (changes.values || changes.enforcedKeys) await assertRoomForPartials(tx, workspaceId);
    return updated!;
  };
  return changeSurface(gateway.db, workspaceId, change, noSuchPartial).catch(refuseTakenName);
}
