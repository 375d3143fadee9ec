import type { Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { findServerOfResource } from '../../commands/oauth/find-server-of-resource.ts';
import { MCP_SCOPES, scopesOf } from '../../domain/mcp-server.ts';
import { resourceOf } from '../../domain/oauth/oauth.ts';
import type { Config } from '../../infra/config.ts';
import { assertMethod, READ_METHODS } from '../middleware/assert-method.ts';
import { shareWithAnyOrigin } from '../middleware/share-with-any-origin.ts';
import { notFound } from '../route.ts';
import { OAUTH_PATHS } from './endpoints.ts';

const RESOURCE = /^\/\.well-known\/oauth-protected-resource(?:\/.*)?\/mcp\/srv_([0-9a-f-]{36})$/;
const SERVER = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/.*)?$/;

/**
 * Discovery documents: protected resource metadata of each MCP server with OAuth (RFC 9728),
 * authorization server metadata (RFC 8414) and OpenID discovery.
 */
export function oauthMetadata(gateway: Gateway): Middleware {
  const { config } = gateway;
  const ofServer = authorizationServerMetadata(config);
  const share = shareWithAnyOrigin(READ_METHODS);
  return async (ctx, next) => {
    const serverId = RESOURCE.exec(ctx.path)?.[1];
    const isServer = SERVER.test(ctx.path);
    if (serverId === undefined && !isServer) return next();
    return share(ctx, async () => {
      assertMethod(ctx, READ_METHODS);
      ctx.body = isServer ? ofServer : await resourceMetadata(gateway, serverId!);
      ctx.set('Cache-Control', 'public, max-age=60');
    });
  };
}

/** URL of an MCP server's protected resource metadata, for challenges (RFC 9728 section 5.1). */
export function resourceMetadataUrl({ baseUrl }: Pick<Config, 'baseUrl'>, serverId: string): string {
  const { origin, pathname } = new URL(resourceOf(baseUrl, serverId));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

async function resourceMetadata(gateway: Gateway, serverId: string): Promise<object> {
  const { baseUrl, platformUrl } = gateway.config;
  const server = await findServerOfResource(gateway, resourceOf(baseUrl, serverId));
  if (!server) throw notFound();
  return {
    resource: resourceOf(baseUrl, serverId),
    resource_name: server.name,
    authorization_servers: [platformUrl],
    scopes_supported: scopesOf(server.mode),
    bearer_methods_supported: ['header'],
  };
}

function authorizationServerMetadata({ platformUrl }: Config): object {
  const at = (path: string) => platformUrl + path;
  return {
    issuer: platformUrl,
    authorization_endpoint: at(OAUTH_PATHS.authorization),
    token_endpoint: at(OAUTH_PATHS.token),
    registration_endpoint: at(OAUTH_PATHS.registration),
    revocation_endpoint: at(OAUTH_PATHS.revocation),
    device_authorization_endpoint: at(OAUTH_PATHS.device_authorization),
    jwks_uri: at(OAUTH_PATHS.jwks),
    scopes_supported: MCP_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    resource_indicators_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
}
