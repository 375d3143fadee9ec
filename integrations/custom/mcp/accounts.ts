import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import type { AuthDocument } from '../../declarative/document.ts';
import type { Fetch } from './guarded-fetch.ts';

const TOKEN: AuthDocument = {
  key: 'token',
  type: 'SECRET_TEXT',
  displayName: 'Access token',
  description: 'A token that the server accepts as a bearer token',
  authenticate: 'bearer',
};

/**
 * Returns the auth methods of a server that answered 401: a token, and sign-in if its metadata has
 * an authorization server (RFC 9728, RFC 8414).
 */
export async function accountsOf(url: string, challenge: Headers, fetch: Fetch): Promise<AuthDocument[]> {
  const signIn = await signInOf(url, challenge, fetch).catch(() => undefined);
  return signIn ? [signIn, TOKEN] : [TOKEN];
}

async function signInOf(url: string, headers: Headers, fetchFn: Fetch): Promise<AuthDocument | undefined> {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(new Response(null, { status: 401, headers }));
  const resource = await discoverOAuthProtectedResourceMetadata(url, resourceMetadataUrl && { resourceMetadataUrl }, fetchFn);
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource.resource })) return undefined;
  const [issuer] = resource.authorization_servers ?? [];
  const server = issuer && (await discoverAuthorizationServerMetadata(issuer, { fetchFn }));
  if (!server) return undefined;
  const clientAuth = server.token_endpoint_auth_methods_supported;
  return {
    ...{ key: 'oauth2', type: 'OAUTH2', displayName: 'Sign in', authenticate: 'bearer' },
    description: 'Acts as the person who signs in at the authorization server of the MCP server',
    oauth2: {
      authorizationUrl: server.authorization_endpoint,
      tokenUrl: server.token_endpoint,
      scopes: scope?.split(' ').filter(Boolean) ?? resource.scopes_supported ?? [],
      clientAuth: clientAuth && !clientAuth.includes('client_secret_post') && clientAuth.includes('client_secret_basic') ? 'basic' : 'body',
      issuer: server.issuer,
      namesIssuer: server.authorization_response_iss_parameter_supported === true,
      resource: resource.resource,
    },
  };
}
