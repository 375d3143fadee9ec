import { GatewayError } from '../../domain/errors.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { countOwners, findMember } from '../../store/memberships.ts';
import { lockOrg } from '../../store/orgs.ts';

/** A requested change of a member. */
export interface AskedChange {
  orgId: string;
  userId: string;
  /** False if the change makes an owner lose the role of owner. */
  staysOwner: boolean;
  /** Throws if the caller may not change this member. */
  assertMay: (member: UserPerson) => void;
}

/**
 * Finds a member and locks the organization against other changes of members until the transaction
 * ends. Throws NOT_FOUND, the error of `assertMay`, and LAST_OWNER if the only owner would lose
 * that role.
 */
export async function lockMember(tx: Db, { orgId, userId, staysOwner, assertMay }: AskedChange): Promise<UserPerson> {
  await lockOrg(tx, orgId);
  const member = await findMember(tx, orgId, userId);
  if (!member) throw new GatewayError('NOT_FOUND', 'There is no such member.');
  assertMay(member);
  if (member.role === 'owner' && !staysOwner && (await countOwners(tx, orgId)) === 1)
    throw new GatewayError('LAST_OWNER', 'This is the last owner. Make somebody else an owner first.');
  return member;
}
