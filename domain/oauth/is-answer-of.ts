import type { OauthEndpoints } from './oauth-endpoints.ts';

/**
 * Whether an answer with this `iss` comes from the authorization server that was asked (RFC 9207,
 * section 2.4). If the issuer is not known, an `iss` with the host of an endpoint is accepted.
 */
export function isAnswerOf({ issuer, namesIssuer, authorizationUrl, tokenUrl }: OauthEndpoints, iss: string | null): boolean {
  if (iss === null) return namesIssuer !== true;
  if (issuer !== undefined) return iss === issuer;
  return [authorizationUrl, tokenUrl].some((url) => URL.parse(iss)?.host === new URL(url).host);
}
