import type { Actor } from './approval.ts';
import type { OrgRole } from './policies/policy.ts';

/**
 * A dashboard user as a member of one organization (contract decisions 2, Organizations and
 * people).
 */
export interface UserPerson {
  type: 'user';
  id: string;
  orgId: string;
  role: OrgRole;
  email: string;
  displayName: string | null;
}

/** An end user of a workspace (specification 2.5). */
export interface EndUserPerson {
  type: 'end_user';
  orgId: string;
  workspaceId: string;
  externalId: string;
  displayName: string | null;
}

/** A reviewer whose identity is known, unlike the holder of a bearer link. */
export type Person = UserPerson | EndUserPerson;

/** Returns the actor for a person's decision. */
export function actorOfPerson(person: Person): Actor {
  return { type: person.type, id: person.type === 'user' ? person.id : person.externalId };
}

/** The name to show for a person. */
export function nameOfPerson(person: Person): string {
  return person.displayName ?? (person.type === 'user' ? person.email : person.externalId);
}

const USER_REF = /^user:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const END_USER_REF = /^end_user:(.+)$/s;

/**
 * Returns the reference to a person in a personal link: `user:<id>` or `end_user:<external id>`.
 */
export function refOfPerson(person: Person): string {
  return `${person.type}:${actorOfPerson(person).id}`;
}

/** Parses a reference from `refOfPerson`. Returns undefined for any other text. */
export function readPersonRef(ref: string): { type: Person['type']; id: string } | undefined {
  const user = USER_REF.exec(ref)?.[1];
  if (user) return { type: 'user', id: user };
  const endUser = END_USER_REF.exec(ref)?.[1];
  return endUser ? { type: 'end_user', id: endUser } : undefined;
}
