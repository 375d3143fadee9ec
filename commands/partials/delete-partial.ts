import type { Actor } from '../../domain/approval.ts';
import { partialActivity } from '../../domain/audit/setup-activity.ts';
import type { Db } from '../../infra/database.ts';
import { deletePartial as deleteRow, type PlacedPartial } from '../../store/partials.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { noSuchPartial } from './get-partial.ts';

/**
 * Deletes a partial. Tools that name it then refuse calls, because enforced values must not be lost
 * silently. Throws PARTIAL_NOT_FOUND.
 */
export async function deletePartial(gateway: Gateway, by: Actor, partial: PlacedPartial): Promise<void> {
  const { orgId, workspaceId, id } = partial;
  const remove = async (tx: Db) => {
    if (!(await deleteRow(tx, orgId, id))) throw noSuchPartial();
    await recordActivity(tx, partialActivity('partial.deleted', partial, by));
  };
  await changeSurface(gateway.db, workspaceId, remove, noSuchPartial);
}
