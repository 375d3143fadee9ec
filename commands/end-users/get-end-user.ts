import type { CountedEndUser, EndUser } from '../../domain/end-user.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findEndUser } from '../../store/end-users.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws NOT_FOUND if the organization has no such end user, and SCOPE_DENIED if the key may not
 * access the workspace.
 */
export async function getEndUser(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<CountedEndUser> {
  return assertEndUser(principal, await findEndUser(gateway.db, principal.orgId, id));
}

/** Like `getEndUser`, for an end user that was already read. Undefined: not found. */
export function assertEndUser<Found extends EndUser>(principal: KeyPrincipal, endUser: Found | undefined): Found {
  if (!endUser) throw noSuchEndUser();
  assertWorkspace(principal, endUser.workspaceId);
  return endUser;
}

/** The error for an end user that the organization does not have. */
export function noSuchEndUser(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such end user.');
}
