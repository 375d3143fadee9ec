import type { CountedEndUser } from '../domain/end-user.ts';
import { GatewayError } from '../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { findEndUser } from '../store/end-users.ts';
import type { Gateway } from './gateway.ts';

/** The end user of that UUID, if the key may enter its workspace. Throws NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED. */
export async function getEndUser(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<CountedEndUser> {
  const endUser = await findEndUser(gateway.db, principal.orgId, id);
  if (!endUser) throw noSuchEndUser();
  assertWorkspace(principal, endUser.workspaceId);
  return endUser;
}

export function noSuchEndUser(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such end user.');
}
