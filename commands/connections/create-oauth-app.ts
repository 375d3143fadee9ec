import { randomUUID } from 'node:crypto';
import type { Actor } from '../../domain/approval.ts';
import { oauthAppActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { OauthApp } from '../../domain/oauth-app.ts';
import { type Db, isDuplicate } from '../../infra/database.ts';
import type { AuthMethod } from '../../integrations/definition.ts';
import { resumeRefreshes } from '../../store/connection-refresh.ts';
import { insertOauthApp, type SealedOauthApp } from '../../store/oauth-apps.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

export interface NewOauthApp extends Omit<OauthApp, 'id' | 'callbackId' | 'createdAt'> {
  clientSecret: string;
}

/**
 * Stores an organization's OAuth app for an integration. Connections that failed without an app are
 * refreshed again. Throws INTEGRATION_NOT_FOUND, VALIDATION_ERROR and DUPLICATE.
 */
export async function createOauthApp(gateway: Gateway, by: Actor, { clientSecret, ...app }: NewOauthApp): Promise<OauthApp> {
  const { auth, customId: callbackId = null } = await gateway.catalog.get(app.orgId, app.integrationName);
  if (!auth?.some(asksConsent)) {
    throw validationError([{ path: 'integrationName', message: `${app.integrationName} has no way to connect that uses an OAuth app` }]);
  }
  const id = randomUUID();
  const sealedClientSecret = await gateway.vault.seal(gateway.db, placeOf({ orgId: app.orgId, id }), clientSecret);
  const insert = async (tx: Db) => {
    await gateway.catalog.hold(app.orgId, app.integrationName, tx);
    const created = await insertOauthApp(tx, { ...app, id, callbackId, sealedClientSecret });
    await resumeRefreshes(tx, app, withoutApp(app.integrationName));
    await recordActivity(tx, oauthAppActivity('oauth_app.created', created, by));
    return created;
  };
  return gateway.db.transaction(insert).catch((error) => {
    if (isDuplicate(error)) throw new GatewayError('DUPLICATE', `${app.integrationName} already has an OAuth app. Delete it first.`);
    throw error;
  });
}

/** Why access to an integration cannot be refreshed without an OAuth app. */
export function withoutApp(integrationName: string): string {
  return `There is no OAuth app of ${integrationName}, so its access cannot be refreshed.`;
}

/** An auth method with an OAuth2 consent URL. */
export type ConsentMethod = AuthMethod & { type: 'OAUTH2' | 'PLATFORM_OAUTH2' } & Required<Pick<AuthMethod, 'oauth2'>>;

/** True if the owner links the account by a consent. Such a method needs an OAuth app. */
export function asksConsent(method: AuthMethod): method is ConsentMethod {
  return (method.type === 'OAUTH2' || method.type === 'PLATFORM_OAUTH2') && method.oauth2 !== undefined;
}

/** Decrypts the secret of an app. Only for requests to the token endpoint. */
export async function openClientSecret(gateway: Pick<Gateway, 'db' | 'vault'>, app: SealedOauthApp): Promise<string> {
  return gateway.vault.open(gateway.db, placeOf(app), app.sealedClientSecret);
}

function placeOf({ orgId, id }: Pick<OauthApp, 'orgId' | 'id'>) {
  return { orgId, workspaceId: null, table: 'oauth_apps', column: 'sealed_client_secret', rowId: id };
}
