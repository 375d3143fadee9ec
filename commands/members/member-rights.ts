import { GatewayError } from '../../domain/errors.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import { assertMayDecide, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { managesOwners } from '../../store/api-keys.ts';
import type { Gateway } from '../gateway.ts';

interface Concerned {
  role: OrgRole;
  /** True if the member has ever signed in. Undefined if that does not matter. */
  hasSignedIn?: boolean;
}

interface MemberRights {
  managesOwners: boolean;
  /**
   * Checks that the key may change a member or give a role. Throws SCOPE_DENIED and
   * APPROVAL_DECISION_SCOPE_REQUIRED.
   */
  assertMay: (...concerned: Concerned[]) => void;
}

/**
 * The rights of an API key over members. A key of an admin cannot change owners and gets no link
 * for a person who has signed in, because the link acts in that person's name.
 */
export async function memberRights({ db }: Pick<Gateway, 'db'>, key: KeyPrincipal): Promise<MemberRights> {
  const isOfOwner = await managesOwners(db, key.id);
  return {
    managesOwners: isOfOwner,
    assertMay: (...concerned) => {
      assertOrgWide(key);
      assertMayDecide(key);
      if (!isOfOwner && concerned.some(({ role, hasSignedIn }) => role === 'owner' || hasSignedIn))
        throw new GatewayError(
          'SCOPE_DENIED',
          'This key has the rights of an admin, so it cannot manage owners or get a link for a person who has signed in. Use a key that an owner created.',
        );
    },
  };
}
