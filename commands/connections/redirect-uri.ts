import type { OauthApp } from '../../domain/oauth-app.ts';
import type { Config } from '../../infra/config.ts';

/**
 * The redirect URI to register at the third party. A custom integration has its own, because its
 * authorization server can be hostile: it must not get the answer of another one (RFC 9700, section
 * 4.4.2.2).
 */
export function redirectUriOf({ platformUrl }: Pick<Config, 'platformUrl'>, { callbackId }: Pick<OauthApp, 'callbackId'>): string {
  return [`${platformUrl}/connect/callback`, callbackId ?? []].flat().join('/');
}
