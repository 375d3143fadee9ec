import type { Actor } from '../../domain/approval.ts';
import { endUserActivity } from '../../domain/audit/setup-activity.ts';
import type { CountedEndUser } from '../../domain/end-user.ts';
import { type EndUserChanges, lockEndUserFields, updateEndUser as updateRow } from '../../store/end-users.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { noSuchEndUser } from './get-end-user.ts';

/**
 * Changes an end user. Replaces the metadata as a whole. Throws NOT_FOUND if the end user is gone.
 */
export async function updateEndUser(
  gateway: Gateway,
  by: Actor,
  { orgId, id }: Pick<CountedEndUser, 'orgId' | 'id'>,
  changes: EndUserChanges,
): Promise<CountedEndUser> {
  return gateway.db.transaction(async (tx) => {
    const before = await lockEndUserFields(tx, orgId, id);
    const updated = before && (await updateRow(tx, orgId, id, changes));
    if (!updated) throw noSuchEndUser();
    const changed = changedFields(before, updated, ['displayName', 'email', 'metadata']);
    if (changed.length > 0) await recordActivity(tx, endUserActivity('end_user.updated', updated, by, { changed }));
    return updated;
  });
}
