import type { OauthEndpoints } from './oauth-endpoints.ts';

/**
 * Whether an authorization response with this `iss` comes from the authorization server of these
 * endpoints (RFC 9207, section 2.4). If the issuer is unknown, the host of `iss` must be the host
 * of an endpoint. A response without `iss` is accepted if the server does not always name its
 * issuer.
 */
export function isAnswerOf({ issuer, namesIssuer, authorizationUrl, tokenUrl }: OauthEndpoints, iss: string | null): boolean {
  if (iss === null) return namesIssuer !== true;
  if (issuer !== undefined) return iss === issuer;
  return [authorizationUrl, tokenUrl].some((url) => URL.parse(iss)?.host === new URL(url).host);
}
