import type { InputPartial } from '../../domain/input-partial.ts';
import type { Db } from '../../infra/database.ts';
import { deletePartial as deleteRow } from '../../store/partials.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { noSuchPartial } from './get-partial.ts';

/**
 * Deletes a partial. Tools that name it keep the name and refuse calls until they are corrected, so
 * that enforced values are never lost silently. Throws PARTIAL_NOT_FOUND if it is already gone.
 */
export async function deletePartial(
  gateway: Gateway,
  { orgId, workspaceId, id }: Pick<InputPartial, 'orgId' | 'workspaceId' | 'id'>,
): Promise<void> {
  const remove = async (tx: Db) => {
    if (!(await deleteRow(tx, orgId, id))) throw noSuchPartial();
  };
  await changeSurface(gateway.db, workspaceId, remove, noSuchPartial);
}
