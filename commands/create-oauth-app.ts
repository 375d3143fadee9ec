import { randomUUID } from 'node:crypto';
import { GatewayError, validationError } from '../domain/errors.ts';
import type { OauthApp } from '../domain/oauth-app.ts';
import { isDuplicate } from '../infra/database.ts';
import type { AuthMethod } from '../integrations/definition.ts';
import { insertOauthApp, type SealedOauthApp } from '../store/oauth-apps.ts';
import type { Gateway } from './gateway.ts';

export interface NewOauthApp extends Omit<OauthApp, 'id' | 'createdAt'> {
  clientSecret: string;
}

/**
 * Keeps the app that an organization asks consent for an integration with; its secret is encrypted.
 * Throws INTEGRATION_NOT_FOUND, VALIDATION_ERROR for an integration without OAuth, DUPLICATE for a second app.
 */
export async function createOauthApp(gateway: Gateway, { clientSecret, ...app }: NewOauthApp): Promise<OauthApp> {
  const { auth } = gateway.catalog.get(app.integrationName);
  if (!auth?.some(asksConsent)) {
    throw validationError([{ path: 'integrationName', message: `${app.integrationName} has no way to connect that uses an OAuth app` }]);
  }
  const id = randomUUID();
  const sealedClientSecret = await gateway.vault.seal(gateway.db, placeOf({ orgId: app.orgId, id }), clientSecret);
  return insertOauthApp(gateway.db, { ...app, id, sealedClientSecret }).catch((error) => {
    if (isDuplicate(error)) throw new GatewayError('DUPLICATE', `${app.integrationName} has an OAuth app already. Delete that one first.`);
    throw error;
  });
}

/** An auth method that says where consent is asked. */
export type ConsentMethod = AuthMethod & { type: 'OAUTH2' | 'PLATFORM_OAUTH2' } & Required<Pick<AuthMethod, 'oauth2'>>;

/** Whether an account is linked this way by asking its owner for consent, which needs an OAuth app. */
export function asksConsent(method: AuthMethod): method is ConsentMethod {
  return (method.type === 'OAUTH2' || method.type === 'PLATFORM_OAUTH2') && method.oauth2 !== undefined;
}

/** The plain secret of an app, for the token request alone. */
export async function openClientSecret(gateway: Gateway, app: SealedOauthApp): Promise<string> {
  return gateway.vault.open(gateway.db, placeOf(app), app.sealedClientSecret);
}

function placeOf({ orgId, id }: Pick<OauthApp, 'orgId' | 'id'>) {
  return { orgId, table: 'oauth_apps', column: 'sealed_client_secret', rowId: id };
}
