import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findPartial, type PlacedPartial } from '../../store/partials.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws PARTIAL_NOT_FOUND if the organization has no such partial, and SCOPE_DENIED if the key may
 * not access the workspace of the partial.
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
