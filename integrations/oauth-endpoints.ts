import type { OauthEndpoints } from '../domain/oauth/oauth-endpoints.ts';
import { fillAddress } from './declarative/fill-address.ts';

/** Inserts the values of an account into the addresses of endpoints. Throws ActionError. */
export function endpointsOf(endpoints: OauthEndpoints, account: Readonly<Record<string, unknown>>): OauthEndpoints {
  const { authorizationUrl, tokenUrl, refreshUrl, ...rest } = endpoints;
  return {
    ...rest,
    authorizationUrl: fillAddress(authorizationUrl, account),
    tokenUrl: fillAddress(tokenUrl, account),
    ...(refreshUrl !== undefined && { refreshUrl: fillAddress(refreshUrl, account) }),
  };
}
