import type { CountedEndUser } from '../../domain/end-user.ts';
import { type EndUserChanges, updateEndUser as updateRow } from '../../store/end-users.ts';
import type { Gateway } from '../gateway.ts';
import { noSuchEndUser } from './get-end-user.ts';

/** Changes an end user; metadata is replaced as a whole. Throws NOT_FOUND if it is gone. */
export async function updateEndUser(
  gateway: Gateway,
  { orgId, id }: Pick<CountedEndUser, 'orgId' | 'id'>,
  changes: EndUserChanges,
): Promise<CountedEndUser> {
  const endUser = await updateRow(gateway.db, orgId, id, changes);
  if (!endUser) throw noSuchEndUser();
  return endUser;
}
