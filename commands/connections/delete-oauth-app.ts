import { GatewayError } from '../../domain/errors.ts';
import { assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteOauthApp as deleteRow, findOauthAppById } from '../../store/oauth-apps.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Removes an OAuth app. Accounts that were connected with it stay connected until their access
 * must be renewed. Throws NOT_FOUND for an unknown or foreign app, then SCOPE_DENIED.
 */
export async function deleteOauthApp({ db }: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<void> {
  if (!(await findOauthAppById(db, principal.orgId, id))) throw noSuchApp();
  assertOrgWide(principal);
  if (!(await deleteRow(db, principal.orgId, id))) throw noSuchApp();
}

function noSuchApp(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such OAuth app.');
}
