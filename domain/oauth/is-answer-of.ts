import type { OauthEndpoints } from './oauth-endpoints.ts';

/**
 * Whether an answer with this `iss` comes from the authorization server that was asked (RFC 9207,
 * section 2.4). Without a known issuer, an issuer at the host of an endpoint is taken as its own.
 */
export function isAnswerOf({ issuer, namesIssuer, authorizationUrl, tokenUrl }: OauthEndpoints, iss: string | null): boolean {
  if (iss === null) return namesIssuer !== true;
  if (issuer !== undefined) return iss === issuer;
  return [authorizationUrl, tokenUrl].some((url) => URL.parse(iss)?.host === new URL(url).host);
}
