import type { Actor } from './approval.ts';
import type { OrgRole } from './policy.ts';

/** A dashboard user, as a member of one organization (decisions section 2, Organizations and people). */
export interface UserPerson {
  type: 'user';
  id: string;
  orgId: string;
  role: OrgRole;
  email: string;
  displayName: string | null;
}

/** An end user of a workspace (specification 2.5), known by the external id. */
export interface EndUserPerson {
  type: 'end_user';
  orgId: string;
  workspaceId: string;
  externalId: string;
  displayName: string | null;
}

/** Somebody who looks at an approval and is known by name, unlike whoever holds a bearer link. */
export type Person = UserPerson | EndUserPerson;

/** Who decided, where a person did: a user by id, an end user by external id. */
export function actorOfPerson(person: Person): Actor {
  return { type: person.type, id: person.type === 'user' ? person.id : person.externalId };
}

/** What a person is called. */
export function nameOfPerson(person: Person): string {
  return person.displayName ?? (person.type === 'user' ? person.email : person.externalId);
}

const USER_REF = /^user:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const END_USER_REF = /^end_user:(.+)$/s;

/** Whom a personal link is for, as its address says: `user:<id>` or `end_user:<external id>`. */
export function refOfPerson(person: Person): string {
  return `${person.type}:${actorOfPerson(person).id}`;
}

/** Reads such a reference; undefined for anything else. */
export function readPersonRef(ref: string): { type: Person['type']; id: string } | undefined {
  const user = USER_REF.exec(ref)?.[1];
  if (user) return { type: 'user', id: user };
  const endUser = END_USER_REF.exec(ref)?.[1];
  return endUser ? { type: 'end_user', id: endUser } : undefined;
}
