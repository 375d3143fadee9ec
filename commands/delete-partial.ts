import type { InputPartial } from '../domain/input-partial.ts';
import type { Db } from '../infra/database.ts';
import { deletePartial as deleteRow } from '../store/partials.ts';
import { changeSurface } from './change-surface.ts';
import type { Gateway } from './gateway.ts';
import { noSuchPartial } from './get-partial.ts';

/**
 * Deletes a partial. Tools that name it keep the name and are refused until somebody mends them: what it enforced must not be lost unnoticed.
 * Throws PARTIAL_NOT_FOUND when it is gone already.
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
