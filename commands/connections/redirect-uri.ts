import type { OauthApp } from '../../domain/oauth-app.ts';
import type { Config } from '../../infra/config.ts';

/**
 * The redirect URI to register at the third party. Integrations of the service share one. An own
 * integration has its own, because its authorization server may be hostile: an answer of another
 * server, which comes to another redirect URI, is never sent to it (RFC 9700, section 4.4.2.2).
 */
export function redirectUriOf({ platformUrl }: Pick<Config, 'platformUrl'>, { callbackId }: Pick<OauthApp, 'callbackId'>): string {
  return [`${platformUrl}/connect/callback`, callbackId ?? []].flat().join('/');
}
