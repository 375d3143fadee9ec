import { redirectUriOf } from '../../../commands/connections/redirect-uri.ts';
import type { OauthApp } from '../../../domain/oauth-app.ts';
import type { Config } from '../../../infra/config.ts';

export function presentOauthApp(config: Pick<Config, 'platformUrl'>, app: OauthApp) {
  return {
    id: app.id,
    integrationName: app.integrationName,
    clientId: app.clientId,
    displayName: app.displayName,
    createdAt: app.createdAt.toISOString(),
    ...(app.callbackId !== null && { redirectUri: redirectUriOf(config, app) }),
  };
}
