import type { OauthApp } from '../../domain/oauth-app.ts';
import type { Config } from '../../infra/config.ts';

/**
 * The redirect URI to register at the third party. Custom integrations do not share a redirect URI:
 * their authorization servers can be hostile and must not get the answers of other servers (RFC
 * 9700, section 4.4.2.2).
 */
export function redirectUriOf({ platformUrl }: Pick<Config, 'platformUrl'>, { callbackId }: Pick<OauthApp, 'callbackId'>): string {
  return [`${platformUrl}/connect/callback`, callbackId ?? []].flat().join('/');
}
