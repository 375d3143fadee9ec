import { memberActivity } from '../../domain/activity.ts';
import type { Actor } from '../../domain/approval.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { deleteMembership } from '../../store/memberships.ts';
import { recordActivity } from '../audit/record-activity.ts';

/** Ends a membership. Does nothing if the person is not a member. */
export async function removeUser(db: Db, member: UserPerson, by: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    if (await deleteMembership(tx, member.orgId, member.id)) await recordActivity(tx, memberActivity('member.removed', member, by));
  });
}
