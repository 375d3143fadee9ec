import type { UserPerson } from './person.ts';
import { ORG_ROLES, type OrgRole } from './policies/policy.ts';
import type { KeyPrincipal } from './principal.ts';

/** A member as lists show them. */
export interface Member extends UserPerson {
  /** When they first signed in to the dashboard; null before. */
  joinedAt: Date | null;
  createdAt: Date;
  /** Whether they ever signed in, also to another organization or before they were removed. */
  hasSignedIn: boolean;
}

/** A member who is signed in to the dashboard. */
export interface SignedInMember extends UserPerson {
  sessionId: string;
  orgName: string;
  hasPassword: boolean;
  /** Since they proved who they are, in seconds. */
  sessionAgeSeconds: number;
  policiesVersion: number;
  seenAt: Date;
}

/** How a member proved who they are. */
export type SignInMethod = 'setup' | 'password' | 'link' | 'code' | 'openid';

/** Methods by the names that pages show. */
export const SIGN_IN_METHODS: Record<SignInMethod, string> = {
  ...{ setup: 'Set-up link', password: 'Password', link: 'Link', code: 'E-mailed code', openid: 'OpenID Connect' },
};

export const MEMBER_SESSION = { idleSeconds: 12 * 3600, maxSeconds: 14 * 24 * 3600 } as const;

/** Maximum age of the sign-in for actions of owners, in seconds. */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

export const LINK_SECONDS = { setup: 24 * 3600, 'sign-in': 600, invitation: 7 * 24 * 3600 } as const;

/** In characters. NIST SP 800-63B-4 requires 15 if a password is the only factor. */
export const PASSWORD = { min: 15, max: 256 } as const;

/** Roles by name, as pages show them. */
export const ROLE_NAMES: Record<OrgRole, string> = { owner: 'Owner', admin: 'Admin', member: 'Reviewer', viewer: 'Viewer' };

/** Whether a role may do all that another one may. */
export function hasRole(role: OrgRole, least: OrgRole): boolean {
  return ORG_ROLES.indexOf(role) <= ORG_ROLES.indexOf(least);
}

/**
 * Roles that a member may give, and whose holders they may change. Admins manage all but owners.
 */
export function manageableRoles(role: OrgRole): OrgRole[] {
  if (!hasRole(role, 'admin')) return [];
  return ORG_ROLES.filter((other) => role === 'owner' || other !== 'owner');
}

/**
 * The member as the caller of a command: the whole organization, with the right to decide that
 * their role has. The page has checked the role.
 */
export function principalOf(member: SignedInMember): KeyPrincipal {
  const { id, orgId, email, displayName, role, policiesVersion, seenAt } = member;
  const mayDecide = role !== 'viewer';
  return { type: 'user', id, orgId, name: displayName ?? email, workspaceIds: 'all', mayDecide, policiesVersion, seenAt };
}

/** Whether a new password is the member's e-mail address, which is refused. */
export function isOwnAddress(password: string, email: string): boolean {
  return password.trim().toLowerCase() === email.trim().toLowerCase();
}
