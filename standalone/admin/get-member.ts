import type { UserPerson } from '../../domain/person.ts';
import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { findMemberByEmail } from '../../store/memberships.ts';

/** The member with an e-mail address. Throws SetupError when there is none. */
export async function getMember(db: Db, orgId: string, email: string): Promise<UserPerson> {
  const member = await findMemberByEmail(db, orgId, email);
  if (member) return member;
  throw new SetupError(`${email} is not a member of the organization ${orgId}. Add a member with add-user.`);
}
