import type { OauthEndpoints } from './oauth-endpoints.ts';

/**
 * Whether an authorization response with this `iss` comes from the server of these endpoints (RFC
 * 9207, section 2.4).
 */
export function isAnswerOf({ issuer, namesIssuer, authorizationUrl, tokenUrl }: OauthEndpoints, iss: string | null): boolean {
  if (iss === null) return namesIssuer !== true;
  if (issuer !== undefined) return iss === issuer;
  return [authorizationUrl, tokenUrl].some((url) => URL.parse(iss)?.host === new URL(url).host);
}
