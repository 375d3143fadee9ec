import { MCP_SCOPES } from '../../domain/mcp-server.ts';

/**
 * Scopes of OpenID Connect that many clients add. They have no effect, because the service issues
 * no ID token.
 */
const IGNORED_SCOPES = new Set(['openid', 'offline_access', 'profile', 'email']);

/** Parameters of OpenID Connect that have no use here, because the service issues no ID token. */
const IGNORED_PARAMETERS = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'nonce'];

/**
 * The name under which the OAuth library gets `max_age`. The library accepts the name `max_age`
 * only with the scope `openid`.
 */
export const MAX_AGE_PARAMETER = 'max_authentication_age';

/**
 * Returns the parameters of an authorization request in the form that the OAuth library accepts. A
 * request with no scope, or only ignored scopes, gets all scopes of this service. A repeated
 * `scope` or `max_age` stays, so that the library refuses the request.
 */
export function acceptParameters(sent: URLSearchParams): URLSearchParams {
  const accepted = new URLSearchParams(sent);
  for (const name of IGNORED_PARAMETERS) accepted.delete(name);
  if (sent.getAll('max_age').length === 1) {
    accepted.delete('max_age');
    accepted.set(MAX_AGE_PARAMETER, sent.get('max_age')!);
  }
  if (sent.getAll('scope').length > 1) return accepted;
  const asked = (sent.get('scope') ?? '').split(' ').filter((scope) => scope !== '' && !IGNORED_SCOPES.has(scope));
  accepted.set('scope', (asked.length > 0 ? asked : MCP_SCOPES).join(' '));
  return accepted;
}
