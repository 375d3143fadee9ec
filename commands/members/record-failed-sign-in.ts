import { memberActivity } from '../../domain/activity.ts';
import type { SignInMethod } from '../../domain/member.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { recordActivity } from '../audit/record-activity.ts';

/** Records, for each of these members, that a sign-in in their name failed. */
export async function recordFailedSignIn(db: Db, members: readonly UserPerson[], method: SignInMethod, source: string): Promise<void> {
  const nobody = { type: 'system', id: null } as const;
  const details = { method, source };
  await recordActivity(db, ...members.map((member) => memberActivity('member.sign_in_failed', member, nobody, details)));
}
