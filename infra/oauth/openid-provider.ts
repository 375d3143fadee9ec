import * as openid from 'openid-client';
import type { Outbound } from '../../domain/outbound.ts';
import type { Config } from '../config.ts';
import { OutboundError } from '../outbound-error.ts';

/** One sign-in at the provider. Its secrets are bound to the browser that began it. */
export interface OpenIdFlow {
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Whether the person must sign in again, even with a session at the provider. */
  requiresNewSignIn: boolean;
}

/** A person as the provider knows them. */
export interface OpenIdPerson {
  issuer: string;
  subject: string;
  /** Undefined if there is no address that the provider has verified. */
  verifiedEmail: string | undefined;
  /** In Unix seconds. Undefined if the provider does not state it. */
  authenticatedAt: number | undefined;
}

/**
 * A failed sign-in. `refused`: by the person or the provider. `unavailable`: the provider does not
 * answer, or its metadata is unusable. `invalid`: its answer fails a check.
 */
export class OpenIdError extends Error {
  override name = 'OpenIdError';
  readonly reason: 'refused' | 'unavailable' | 'invalid';

  constructor(reason: OpenIdError['reason'], cause: unknown) {
    // The cause's other fields may contain tokens.
    const { code, message } = cause as { code?: string; message?: string };
    super([code, message].filter(Boolean).join(': '));
    this.reason = reason;
  }
}

/** The OpenID provider of the operator (contract decisions 8, Upstream OpenID Connect). */
export interface OpenIdProvider {
  /** The host name, by which people recognize the provider. */
  readonly host: string;
  readonly issuer: string;
  /** Returns the URL where a person signs in. Rejects with an OpenIdError. */
  signInUrl(flow: OpenIdFlow): Promise<string>;
  /** Checks an answer of the provider and returns the person. Rejects with an OpenIdError. */
  personOf(answer: URLSearchParams, flow: OpenIdFlow): Promise<OpenIdPerson>;
}

const METADATA_MS = 60 * 60 * 1000;

/** Maximum age in seconds of a required new sign-in. */
const NEW_SECONDS = 600;

/** Returns the configured provider, if any. `allowHttp`: allows plain HTTP, for development. */
export function openOpenIdProvider(settings: Config['openId'], outbound: Outbound, allowHttp: boolean): OpenIdProvider | undefined {
  if (!settings) return undefined;
  const { issuer, clientId, clientSecret } = settings;
  let known: { configuration: Promise<openid.Configuration>; until: number } | undefined;

  function configuration(): Promise<openid.Configuration> {
    if (known && known.until > performance.now()) return known.configuration;
    const discovered = openid
      .discovery(new URL(issuer), clientId, clientSecret, authenticate(clientSecret), {
        [openid.customFetch]: fetchThrough(outbound),
        execute: [openid.enableNonRepudiationChecks, ...(allowHttp ? [openid.allowInsecureRequests] : [])],
      })
      .catch((error) => {
        known = undefined;
        throw new OpenIdError('unavailable', error);
      });
    known = { configuration: discovered, until: performance.now() + METADATA_MS };
    return discovered;
  }

  return {
    host: new URL(issuer).host,
    issuer,
    signInUrl: async ({ redirectUri, state, nonce, codeVerifier, requiresNewSignIn }) => {
      const parameters = {
        ...{ redirect_uri: redirectUri, scope: 'openid email', state, nonce },
        ...{ code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' },
        ...(requiresNewSignIn && { prompt: 'login', max_age: '0' }),
      };
      return openid.buildAuthorizationUrl(await configuration(), parameters).href;
    },
    personOf: async (answer, { redirectUri, state, nonce, codeVerifier, requiresNewSignIn }) => {
      const config = await configuration();
      const url = new URL(`${redirectUri}?${answer}`);
      const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      try {
        const tokens = await openid.authorizationCodeGrant(config, url, { ...checks, ...(requiresNewSignIn && { maxAge: NEW_SECONDS }) });
        const claims = tokens.claims()!;
        const { email, email_verified } =
          claims.email === undefined ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        const { iss, sub, auth_time } = claims;
        return { issuer: iss, subject: sub, verifiedEmail: verified(email, email_verified), authenticatedAt: auth_time };
      } catch (error) {
        throw new OpenIdError(reasonOf(error), error);
      }
    },
  };
}

/** Some providers send `email_verified` as text. */
function verified(email: unknown, isVerified: unknown): string | undefined {
  return typeof email === 'string' && (isVerified === true || isVerified === 'true') ? email : undefined;
}

function reasonOf(error: unknown): OpenIdError['reason'] {
  if (error instanceof openid.AuthorizationResponseError) return 'refused';
  return error instanceof Error && error.cause instanceof OutboundError ? 'unavailable' : 'invalid';
}

/** `client_secret_basic` is the standard's default. Some providers want the secret in the body. */
function authenticate(clientSecret: string): openid.ClientAuth {
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const way = methods.includes('client_secret_basic') ? openid.ClientSecretBasic : openid.ClientSecretPost;
    way(clientSecret)(server, ...request);
  };
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

function fetchThrough(outbound: Outbound): openid.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const sent = body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : undefined;
    const answer = await outbound.request({
      ...{ url, method, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    });
    return new Response(answer.status === 204 || answer.status === 304 ? null : new Uint8Array(answer.body), answer);
  };
}
