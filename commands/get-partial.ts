import { GatewayError } from '../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { findPartial, type PlacedPartial } from '../store/partials.ts';
import type { Gateway } from './gateway.ts';

/** The partial of that id, if the key may enter its workspace. Throws PARTIAL_NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED. */
export async function getPartial(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<PlacedPartial> {
  const partial = await findPartial(gateway.db, principal.orgId, id);
  if (!partial) throw noSuchPartial();
  assertWorkspace(principal, partial.workspaceId);
  return partial;
}

export function noSuchPartial(): GatewayError {
  return new GatewayError('PARTIAL_NOT_FOUND', 'There is no such partial.');
}
