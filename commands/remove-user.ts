import { memberActivity } from '../domain/activity.ts';
import type { Actor } from '../domain/approval.ts';
import type { UserPerson } from '../domain/person.ts';
import type { Db } from '../infra/database.ts';
import { deleteMembership } from '../store/memberships.ts';
import { recordActivity } from './record-activity.ts';

/** Ends a membership: the person decides nothing there any more. One that ended before stays as it is. */
export async function removeUser(db: Db, member: UserPerson, by: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    if (await deleteMembership(tx, member.orgId, member.id)) await recordActivity(tx, memberActivity('member.removed', member, by));
  });
}
