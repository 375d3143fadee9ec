import type { Approval } from '../../domain/approval.ts';
import { type Person, readPersonRef } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { findEndUserByExternalId } from '../../store/end-users.ts';
import { findMember } from '../../store/memberships.ts';

/** The person of a personal link; undefined if unknown, deleted or no longer a member. */
export async function findPerson(
  db: Db,
  { orgId, workspaceId }: Pick<Approval, 'orgId' | 'workspaceId'>,
  ref: string,
): Promise<Person | undefined> {
  const named = readPersonRef(ref);
  if (named?.type === 'user') return findMember(db, orgId, named.id);
  const endUser = named && (await findEndUserByExternalId(db, orgId, workspaceId, named.id));
  return endUser && { type: 'end_user', orgId, workspaceId, externalId: endUser.externalId, displayName: endUser.displayName };
}
