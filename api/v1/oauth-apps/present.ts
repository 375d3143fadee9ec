import type { OauthApp } from '../../../domain/oauth-app.ts';

export function presentOauthApp(app: OauthApp) {
  return {
    id: app.id,
    integrationName: app.integrationName,
    clientId: app.clientId,
    displayName: app.displayName,
    createdAt: app.createdAt.toISOString(),
  };
}
