import type { CountedEndUser, EndUser } from '../../domain/end-user.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findEndUser } from '../../store/end-users.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the end user of that UUID. Throws NOT_FOUND if it is unknown or foreign, then SCOPE_DENIED
 * if the key may not enter its workspace.
 */
export async function getEndUser(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<CountedEndUser> {
  return assertEndUser(principal, await findEndUser(gateway.db, principal.orgId, id));
}

/** The same for what was read with the key; undefined: the organization has no such end user. */
export function assertEndUser<Found extends EndUser>(principal: KeyPrincipal, endUser: Found | undefined): Found {
  if (!endUser) throw noSuchEndUser();
  assertWorkspace(principal, endUser.workspaceId);
  return endUser;
}

/** The error for an unknown, foreign or deleted end user. */
export function noSuchEndUser(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such end user.');
}
