import { apiKeyActivity } from '../../domain/activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteApiKey as deleteRow, findApiKey } from '../../store/api-keys.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Revokes an API key. Throws NOT_FOUND if the organization has no such key, and SCOPE_DENIED if the
 * caller is not org-wide.
 */
export async function deleteApiKey({ db }: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<void> {
  const key = await findApiKey(db, principal.orgId, id);
  if (!key) throw noSuchKey();
  assertOrgWide(principal);
  await db.transaction(async (tx) => {
    if (!(await deleteRow(tx, principal.orgId, id))) throw noSuchKey();
    await recordActivity(tx, apiKeyActivity('api_key.deleted', key, actorOf(principal)));
  });
}

function noSuchKey(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such API key.');
}
