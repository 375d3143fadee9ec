import { GatewayError } from '../../domain/errors.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import { assertMayDecide, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { managesOwners } from '../../store/api-keys.ts';
import type { Gateway } from '../gateway.ts';

/** Whom a change concerns. */
interface Concerned {
  role: OrgRole;
  /** Whether they ever signed in; undefined where it does not matter. */
  hasSignedIn?: boolean;
}

/** What an API key may do with members. */
interface MemberRights {
  managesOwners: boolean;
  /**
   * Checks whether the key may change a member, or give somebody a role. Throws SCOPE_DENIED and
   * APPROVAL_DECISION_SCOPE_REQUIRED.
   */
  assertMay: (...concerned: Concerned[]) => void;
}

/**
 * The rights of an API key. Members may decide approvals, so it takes an org-wide key that may
 * decide. A key that an admin created does what admins may: nothing about owners, and no link for
 * somebody who ever signed in, since the link would act in their name.
 */
export async function memberRights({ db }: Pick<Gateway, 'db'>, key: KeyPrincipal): Promise<MemberRights> {
  const isOfOwner = await managesOwners(db, key.id);
  return {
    managesOwners: isOfOwner,
    assertMay: (...concerned) => {
      assertOrgWide(key);
      assertMayDecide(key);
      if (!isOfOwner && concerned.some(({ role, hasSignedIn }) => role === 'owner' || hasSignedIn))
        throw new GatewayError('SCOPE_DENIED', 'This key may do what an admin may: it manages no owners. Use a key that an owner created.');
    },
  };
}
