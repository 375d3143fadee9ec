import { GatewayError } from '../../domain/errors.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import { assertMayDecide, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { managesOwners } from '../../store/api-keys.ts';
import type { Gateway } from '../gateway.ts';

/** Whom a change concerns. */
interface Concerned {
  role: OrgRole;
  /** When they first signed in; undefined where it does not matter. */
  joinedAt?: Date | null;
}

/**
 * The check whether an API key may change a member, or give somebody a role. It throws SCOPE_DENIED
 * and APPROVAL_DECISION_SCOPE_REQUIRED. Members may decide approvals, so it takes an org-wide key
 * that may decide. A key that an admin created does what admins may: nothing about owners, and no
 * link for somebody who has joined, since the link would act in their name.
 */
export async function memberRights({ db }: Pick<Gateway, 'db'>, key: KeyPrincipal): Promise<(...concerned: Concerned[]) => void> {
  const mayManageOwners = await managesOwners(db, key.id);
  return (...concerned) => {
    assertOrgWide(key);
    assertMayDecide(key);
    if (!mayManageOwners && concerned.some(({ role, joinedAt }) => role === 'owner' || joinedAt))
      throw new GatewayError('SCOPE_DENIED', 'This key may do what an admin may: it manages no owners. Use a key that an owner created.');
  };
}
