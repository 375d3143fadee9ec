import type { OauthApp } from '../../domain/oauth-app.ts';
import type { Config } from '../../infra/config.ts';

/**
 * Returns the redirect URI to register at the third party. All integrations of the service share
 * one redirect URI. A custom integration has its own redirect URI, because its authorization server
 * can be hostile. The answer of another authorization server arrives at another redirect URI, so
 * that answer is never sent to the hostile server (RFC 9700, section 4.4.2.2).
 */
export function redirectUriOf({ platformUrl }: Pick<Config, 'platformUrl'>, { callbackId }: Pick<OauthApp, 'callbackId'>): string {
  return [`${platformUrl}/connect/callback`, callbackId ?? []].flat().join('/');
}
