import type { OauthApp } from '../../domain/oauth-app.ts';
import type { Config } from '../../infra/config.ts';

/**
 * The redirect URI to register at the third party. A custom integration has its own, because its
 * authorization server can be hostile and must not get the answer of another server (RFC 9700,
 * section 4.4.2.2).
 */
export function redirectUriOf({ platformUrl }: Pick<Config, 'platformUrl'>, { callbackId }: Pick<OauthApp, 'callbackId'>): string {
  return [`${platformUrl}/connect/callback`, callbackId ?? []].flat().join('/');
}
