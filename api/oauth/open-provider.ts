import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Gateway } from '../../commands/gateway.ts';
import { findServerOfResource } from '../../commands/oauth/find-server-of-resource.ts';
import { findGrantOf, mayStillAct } from '../../commands/oauth/grants.ts';
import { limitSource } from '../../commands/oauth/limit-source.ts';
import { openOAuthAccessTokens } from '../../commands/oauth/oauth-access-tokens.ts';
import {
  ConsumedTwiceError,
  GrantRevokedError,
  type OAuthAdapter,
  type OAuthPayload,
  openOAuthAdapter,
} from '../../commands/oauth/oauth-adapter.ts';
import type { OAuthKeys } from '../../commands/oauth/oauth-keys.ts';
import { scopesOf } from '../../domain/mcp-server.ts';
import { OAUTH_SECONDS } from '../../domain/oauth/oauth.ts';
import { leavesUnencrypted } from '../../domain/oauth/redirect-uri.ts';
import { devicePages } from '../pages/device/device-pages.ts';
import { MAX_AGE_PARAMETER } from './accept-parameters.ts';
import { OAUTH_PATHS, SESSION_COOKIE } from './endpoints.ts';
import { policyOf } from './interaction-policy.ts';
import { metadataFetcher } from './metadata-fetcher.ts';
import { leaveOutages, noteOutage } from './outages.ts';
import { renderOAuthError } from './render-oauth-error.ts';

/**
 * Opens the authorization server for MCP clients (RFC 6749, 7591, 7636, 7009, 8628, 8707, 9207).
 */
export function openProvider(gateway: Gateway, keys: OAuthKeys): Provider {
  const provider = new Provider(gateway.config.platformUrl, configurationOf(gateway, keys));
  provider.proxy = true;
  issueOwnTokens(provider.AccessToken.prototype, () => gateway.tokens.issue('mcpo_'));
  issueOwnTokens(provider.RefreshToken.prototype, () => gateway.tokens.issue('mcpr_'));
  provider.use(leaveOutages);
  provider.use(namePollInterval);
  provider.on('server_error', (ctx, error) => {
    if (!noteOutage(ctx, error)) gateway.logger.error({ err: error }, 'authorization server failed');
  });
  return provider;
}

function configurationOf(gateway: Gateway, keys: OAuthKeys): Configuration {
  const { config } = gateway;
  return {
    adapter: (model: string) => adapterOf(gateway, model) as never,
    jwks: { keys: keys.signing } as never,
    cookies: { keys: keys.cookies, names: COOKIES, ...cookieOptions(config.platformUrl) },
    routes: OAUTH_PATHS,
    scopes: [],
    extraParams: { [MAX_AGE_PARAMETER]: assertMaxAge },
    responseTypes: ['code'],
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: rotateForItsResource,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: async (ctx) => ctx.oidc.route !== 'revocation',
    ttl: {
      AccessToken: OAUTH_SECONDS.accessToken,
      AuthorizationCode: OAUTH_SECONDS.authorizationCode,
      DeviceCode: OAUTH_SECONDS.deviceCode,
      Grant: OAUTH_SECONDS.grant,
      Interaction: OAUTH_SECONDS.interaction,
      RefreshToken: OAUTH_SECONDS.refreshToken,
      Session: OAUTH_SECONDS.interaction,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      deviceFlow: { enabled: true, ...devicePages },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: async (ctx: KoaContextWithOIDC) => (await limitSource(gateway, 'client-metadata', ctx.ip)) === undefined,
      } as never,
      resourceIndicators: {
        enabled: true,
        defaultResource: requireResource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (ctx, resource) => {
          if (Array.isArray(ctx.oidc.params?.resource)) throw new errors.InvalidTarget('Name one resource, not several.');
          const server = await findServerOfResource(gateway, resource);
          if (!server) throw new errors.InvalidTarget('There is no MCP server with OAuth under this resource.');
          const scopes = scopesOf(server.mode);
          assertScope(ctx.oidc.params?.scope, scopes);
          return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    interactions: {
      url: (_ctx, { uid }) => `${new URL(config.platformUrl).pathname.replace(/\/$/, '')}/oauth/interaction/${uid}`,
      policy: policyOf(gateway),
    },
    findAccount: async (_ctx, accountId, token) => {
      const resource = token && 'resource' in token ? token.resource : undefined;
      const mayAct = typeof resource !== 'string' || (await mayStillAct(gateway, accountId, resource));
      return mayAct ? { accountId, claims: async () => ({ sub: accountId }) } : undefined;
    },
    loadExistingGrant: (ctx) => loadGrant(gateway, ctx),
    extraTokenClaims: async (ctx) => ({ clientName: ctx.oidc.client?.clientName ?? null }),
    clientBasedCORS: () => true,
    fetch: metadataFetcher(gateway) as never,
    renderError: async (ctx, out) => renderOAuthError(ctx, out),
  };
}

/** Adds to the answer how often the device may poll, for clients that have no default interval. */
async function namePollInterval(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) Object.assign(ctx.body as object, { interval: POLL_SECONDS });
}

/** In seconds: the default of RFC 8628, section 3.2. */
const POLL_SECONDS = 5;

/**
 * Replaces the library's tokens by those of `issue`. The library's generator still runs, because it
 * also sets the token's format.
 */
function issueOwnTokens(prototype: object, issue: () => string): void {
  const model = prototype as { generateTokenId(): string };
  const { generateTokenId } = model;
  model.generateTokenId = function generate(this: unknown) {
    generateTokenId.call(this);
    return issue();
  };
}

function adapterOf(gateway: Gateway, model: string): OAuthAdapter {
  const adapter = model === 'AccessToken' ? openOAuthAccessTokens(gateway) : openOAuthAdapter(gateway, model);
  return {
    ...adapter,
    find: async (id) => withoutPlainRedirects(model, await adapter.find(id)),
    consume: (id) => adapter.consume(id).catch(refuseGrant),
    upsert: (...record) => adapter.upsert(...record).catch(refuseGrant),
  };
}

/** Removes unencrypted redirect addresses, which only older clients can have. */
function withoutPlainRedirects(model: string, payload: OAuthPayload | undefined): OAuthPayload | undefined {
  if (model !== 'Client' || !Array.isArray(payload?.redirect_uris)) return payload;
  return { ...payload, redirect_uris: payload.redirect_uris.filter((uri) => !leavesUnencrypted(uri)) };
}

function refuseGrant(error: unknown): never {
  if (error instanceof ConsumedTwiceError) throw new errors.InvalidGrant('already used');
  if (error instanceof GrantRevokedError) throw new errors.InvalidGrant('the grant was revoked');
  throw error;
}

const COOKIES = { interaction: 'oauth_interaction', resume: 'oauth_resume', session: SESSION_COOKIE };

function cookieOptions(platformUrl: string) {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, secure: platformUrl.startsWith('https:') } as const;
  return { short: options, long: options };
}

/** Returns the resource of a request that names none (RFC 8707). */
async function requireResource(_ctx: KoaContextWithOIDC, _client: unknown, oneOf?: readonly string[]): Promise<string> {
  if (oneOf?.length === 1) return oneOf[0]!;
  throw new errors.InvalidTarget('Name one resource: the address of the MCP server.');
}

/** Throws `invalid_scope` if the server has none of the requested scopes (RFC 6749, 4.1.2.1). */
function assertScope(requested: unknown, scopes: readonly string[]): void {
  if (typeof requested !== 'string' || requested.split(' ').some((scope) => scopes.includes(scope))) return;
  throw new errors.InvalidScope(`This MCP server has the scopes: ${scopes.join(' ')}.`, requested);
}

/** Refuses a resource that is not the token's. The library would first use up the token. */
function rotateForItsResource({ oidc: { params, entities } }: KoaContextWithOIDC): true {
  const asked = params?.resource;
  if (asked === undefined || asked === entities.RefreshToken?.resource) return true;
  throw new errors.InvalidTarget('The refresh token is for another resource.');
}

function assertMaxAge(_ctx: KoaContextWithOIDC, value: string | undefined): void {
  if (value !== undefined && !/^\d{1,9}$/.test(value)) throw new errors.InvalidRequest('max_age must be a number of seconds');
}

/**
 * Returns the person's grant for the requested server. Returns undefined if the person
 * has no such grant or no longer has access to the server: the consent page then decides. A grant
 * that the consent page has just given is not checked again.
 */
async function loadGrant(gateway: Gateway, ctx: KoaContextWithOIDC) {
  const { client, account, params, provider, result } = ctx.oidc;
  const named = result?.consent?.grantId;
  const resource = params?.resource;
  if (!client || !account || typeof resource !== 'string') return undefined;
  const grantId = named ?? (await findGrantOf(gateway, { clientId: client.clientId, identityId: account.accountId, resource }));
  if (named === undefined && !(await mayStillAct(gateway, account.accountId, resource))) return undefined;
  return grantId === undefined ? undefined : provider.Grant.find(grantId);
}
