import type { UserPerson } from './person.ts';
import { ORG_ROLES, type OrgRole } from './policies/policy.ts';
import type { KeyPrincipal } from './principal.ts';

/** A member, with the fields that lists show. */
export interface Member extends UserPerson {
  /** Null before the first sign-in to the dashboard. */
  joinedAt: Date | null;
  createdAt: Date;
  /** Whether the person has ever signed in, to any organization. */
  hasSignedIn: boolean;
}

/** A member who is signed in to the dashboard. */
export interface SignedInMember extends UserPerson {
  sessionId: string;
  orgName: string;
  hasPassword: boolean;
  /** Time since the member proved their identity. */
  sessionAgeSeconds: number;
  policiesVersion: number;
  seenAt: Date;
}

/** The ways in which a member can prove their identity. */
export type SignInMethod = 'setup' | 'password' | 'link' | 'code' | 'openid';

/** The names that pages show for the methods. */
export const SIGN_IN_METHODS: Record<SignInMethod, string> = {
  ...{ setup: 'Set-up link', password: 'Password', link: 'Link', code: 'E-mailed code', openid: 'OpenID Connect' },
};

/** A session ends after `idleSeconds` without a request, at the latest after `maxSeconds`. */
export const MEMBER_SESSION = { idleSeconds: 12 * 3600, maxSeconds: 14 * 24 * 3600 } as const;

/**
 * Maximum age of a sign-in, in seconds, for actions that only owners can do, and for setting a
 * first password.
 */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

/** Lifetimes of sign-in links by kind, in seconds. */
export const LINK_SECONDS = { setup: 24 * 3600, 'sign-in': 600, invitation: 7 * 24 * 3600 } as const;

/** Lengths in characters. NIST SP 800-63B-4 requires 15 if a password is the only factor. */
export const PASSWORD = { min: 15, max: 256 } as const;

/** The names that pages show for the roles. */
export const ROLE_NAMES: Record<OrgRole, string> = { owner: 'Owner', admin: 'Admin', member: 'Reviewer', viewer: 'Viewer' };

/** Whether `role` has at least the rights of `least`. */
export function hasRole(role: OrgRole, least: OrgRole): boolean {
  return ORG_ROLES.indexOf(role) <= ORG_ROLES.indexOf(least);
}

/** Returns the roles that a member with this role may manage. */
export function manageableRoles(role: OrgRole): OrgRole[] {
  if (!hasRole(role, 'admin')) return [];
  return ORG_ROLES.filter((other) => role === 'owner' || other !== 'owner');
}

/**
 * Returns the member as a caller of commands who may access all workspaces. Commands do not check
 * the role, so the page must.
 */
export function principalOf(member: SignedInMember): KeyPrincipal {
  const { id, orgId, email, displayName, role, policiesVersion, seenAt } = member;
  const mayDecide = role !== 'viewer';
  return { type: 'user', id, orgId, name: displayName ?? email, workspaceIds: 'all', mayDecide, policiesVersion, seenAt };
}

/** Whether a new password equals the member's e-mail address. Such a password is refused. */
export function isOwnAddress(password: string, email: string): boolean {
  return password.trim().toLowerCase() === email.trim().toLowerCase();
}
