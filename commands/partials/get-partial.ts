import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findPartial, type PlacedPartial } from '../../store/partials.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the partial with this id. Throws PARTIAL_NOT_FOUND if the partial is unknown or belongs to
 * another organization, then SCOPE_DENIED if the key may not access the partial's workspace.
 */
export async function getPartial(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<PlacedPartial> {
  const partial = await findPartial(gateway.db, principal.orgId, id);
  if (!partial) throw noSuchPartial();
  assertWorkspace(principal, partial.workspaceId);
  return partial;
}

/** The error for a partial that the organization does not have. */
export function noSuchPartial(): GatewayError {
  return new GatewayError('PARTIAL_NOT_FOUND', 'There is no such partial.');
}
