import { oauthAppActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteOauthApp as deleteRow, findOauthAppById } from '../../store/oauth-apps.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Deletes an OAuth app. Its accounts stay connected until their access must be refreshed. Throws
 * NOT_FOUND and SCOPE_DENIED.
 */
export async function deleteOauthApp({ db }: Pick<Gateway, 'db'>, principal: KeyPrincipal, id: string): Promise<void> {
  const app = await findOauthAppById(db, principal.orgId, id);
  if (!app) throw noSuchApp();
  assertOrgWide(principal);
  await db.transaction(async (tx) => {
    if (!(await deleteRow(tx, principal.orgId, id))) throw noSuchApp();
    await recordActivity(tx, oauthAppActivity('oauth_app.deleted', app, actorOf(principal)));
  });
}

function noSuchApp(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such OAuth app.');
}
