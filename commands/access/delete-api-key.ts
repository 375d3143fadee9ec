import { GatewayError } from '../../domain/errors.ts';
import { assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteApiKey as deleteRow, findApiKey } from '../../store/api-keys.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Revokes an API key; its next request is refused. Throws NOT_FOUND for an unknown or foreign
 * key, then SCOPE_DENIED.
 */
export async function deleteApiKey({ db }: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<void> {
  if (!(await findApiKey(db, principal.orgId, id))) throw noSuchKey();
  assertOrgWide(principal);
  if (!(await deleteRow(db, principal.orgId, id))) throw noSuchKey();
}

function noSuchKey(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such API key.');
}
