import { openMemberSession } from '../../../commands/members/member-session.ts';
import type { UserPerson } from '../../../domain/person.ts';
import type { OrgRole } from '../../../domain/policies/policy.ts';
import type { Db } from '../../../infra/database.ts';
import type { Tokens } from '../../../infra/tokens.ts';
import { insertMembership } from '../../../store/memberships.ts';
import { upsertUser } from '../../../store/users.ts';

const BROWSER = { source: '127.0.0.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0' };

/** Adds a member to an organization and signs them in without a password. */
export async function signInMember(
  { db, tokens }: { db: Db; tokens: Tokens },
  { orgId, role, email, name }: { orgId: string; role: OrgRole; email: string; name: string },
): Promise<{ person: UserPerson; sessionToken: string }> {
  const person = await db.transaction(async (tx): Promise<UserPerson> => {
    const user = await upsertUser(tx, { email, displayName: null });
    await insertMembership(tx, { orgId, userId: user.id, role, displayName: name });
    return { type: 'user', id: user.id, orgId, role, email, displayName: name };
  });
  const sessionToken = await db.transaction((tx) => openMemberSession({ db: tx, tokens }, person, 'link', BROWSER));
  return { person, sessionToken };
}
