import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { isDeeperThan } from '../../domain/is-deeper-than.ts';
import { BODY_MAX_DEPTH } from '../../domain/limits.ts';
import type { OauthEndpoints } from '../../domain/oauth/oauth-endpoints.ts';
import type { Outbound, OutboundResponse } from '../../domain/outbound.ts';
import { hiderOf } from '../../domain/redaction/hide-secrets.ts';
import { redactText } from '../../domain/redaction/redact-text.ts';

/** The OAuth app that asks a third party for tokens. */
export interface OauthClient {
  clientId: string;
  clientSecret: string;
}

/**
 * The values of one authorization code flow (RFC 6749, 4.1; RFC 7636), the same for `consentUrl`
 * and `exchangeCode`.
 */
export interface CodeFlow {
  clientId: string;
  redirectUri: string;
  codeVerifier: string;
}

/** The tokens that a third party granted. */
export interface Grant {
  accessToken: string;
  refreshToken?: string | undefined;
  tokenType?: string | undefined;
  scope?: string | undefined;
  expiresInSeconds?: number | undefined;
  /** Other fields of the answer, such as the account's address. */
  data: Record<string, unknown>;
}

/** Returns the URL of the consent page, with PKCE S256 unless `provider.pkce` is false. */
export function consentUrl(provider: OauthEndpoints, flow: CodeFlow, state: string): string {
  const url = new URL(provider.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: flow.clientId,
    redirect_uri: flow.redirectUri,
    state,
    ...(provider.pkce !== false && {
      code_challenge: createHash('sha256').update(flow.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
    ...(provider.scopes.length > 0 && !provider.scopesFromApp && { scope: provider.scopes.join(provider.scopeSeparator ?? ' ') }),
    ...resourceOf(provider),
    ...provider.parameters,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Exchanges a code for tokens. Throws ACTION_FAILED with the third party's message, in which our
 * secrets are hidden.
 */
export async function exchangeCode(
  outbound: Outbound,
  provider: OauthEndpoints,
  { clientSecret, code, ...flow }: CodeFlow & { clientSecret: string; code: string },
): Promise<Grant> {
  const verifier = provider.pkce === false ? undefined : { code_verifier: flow.codeVerifier };
  const fields = { grant_type: 'authorization_code', code, redirect_uri: flow.redirectUri, ...verifier, ...resourceOf(provider) };
  const request = { url: provider.tokenUrl, client: { clientId: flow.clientId, clientSecret }, fields };
  const asked = await askForTokens(outbound, provider, request);
  if ('grant' in asked) return asked.grant;
  throw refused(asked, [clientSecret, code, flow.codeVerifier]);
}

/** The third party ended the grant: the owner of the account has to consent again. */
export class GrantGoneError extends Error {
  override name = 'GrantGoneError';
}

/**
 * Gets new tokens for a refresh token (RFC 6749, section 6). Without a new refresh token, the old
 * one stays valid and is returned. Throws GrantGoneError if the grant is gone, and ACTION_FAILED
 * for any other refusal.
 */
export async function refreshGrant(
  outbound: Outbound,
  provider: OauthEndpoints,
  { client, refreshToken }: { client: OauthClient; refreshToken: string },
): Promise<Grant> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...resourceOf(provider) };
  const asked = await askForTokens(outbound, provider, { url: provider.refreshUrl ?? provider.tokenUrl, client, fields });
  if ('grant' in asked) return { ...asked.grant, refreshToken: asked.grant.refreshToken ?? refreshToken };
  const error = refused(asked, [client.clientSecret, refreshToken]);
  throw isGone(asked) ? new GrantGoneError(error.message) : error;
}

function resourceOf({ resource }: OauthEndpoints): Record<string, string> {
  return resource === undefined ? {} : { resource };
}

/**
 * Whether the grant is gone. The standard error code is `invalid_grant`; some third parties use
 * another code.
 */
function isGone({ answer: { status }, fields }: Refusal): boolean {
  return GONE.has(String(fields.error)) && status < 500;
}

const GONE = new Set(['invalid_grant', 'bad_refresh_token', 'token_revoked', 'invalid_refresh_token', 'token_expired']);

interface TokenRequest {
  url: string;
  client: OauthClient;
  fields: Record<string, string>;
}

interface Refusal {
  answer: OutboundResponse;
  fields: Record<string, unknown>;
}

async function askForTokens(
  outbound: Outbound,
  { clientAuth = 'body' }: OauthEndpoints,
  { url, client: { clientId, clientSecret }, fields: sent }: TokenRequest,
): Promise<{ grant: Grant } | Refusal> {
  const basic = Buffer.from([clientId, clientSecret].map(encodeURIComponent).join(':')).toString('base64');
  const answer = await outbound.request({
    ...{ url, method: 'POST' },
    headers: {
      ...{ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      ...(clientAuth === 'basic' && { authorization: `Basic ${basic}` }),
    },
    body: new URLSearchParams({ ...sent, ...(clientAuth === 'body' && { client_id: clientId, client_secret: clientSecret }) }).toString(),
  });
  const fields = readFields(answer);
  const granted = answer.status < 300 ? tokenAnswer.safeParse(fields) : undefined;
  if (!granted?.success) return { answer, fields };
  const { access_token, refresh_token, token_type, scope, expires_in, ...data } = granted.data;
  return {
    grant: { accessToken: access_token, refreshToken: refresh_token, tokenType: token_type, scope, expiresInSeconds: expires_in, data },
  };
}

/** Some third parties send more seconds than a date can represent. */
const MAX_LIFETIME_SECONDS = 100 * 365 * 24 * 3600;

const optionalText = z.string().min(1).optional().catch(undefined);
const tokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: optionalText,
  token_type: optionalText,
  scope: optionalText,
  expires_in: z.coerce.number().positive().max(MAX_LIFETIME_SECONDS).optional().catch(undefined),
});

/** Empty for bodies other than JSON and forms, and for JSON nested too deep. */
function readFields({ body, headers }: OutboundResponse): Record<string, unknown> {
  const text = body.toString('utf8');
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !isDeeperThan(BODY_MAX_DEPTH, value) ? { ...value } : {};
  } catch {
    return {};
  }
}

const SAID_MAX_LENGTH = 300;

function refused({ answer: { status, url }, fields: { error, error_description } }: Refusal, secrets: string[]): GatewayError {
  const said = [error, error_description].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const reason = said
    ? redactText(hiderOf(secrets)(said))
        .replace(/\p{Cc}/gu, ' ')
        .slice(0, SAID_MAX_LENGTH)
        .replace(/[.\s]+$/, '')
    : `it answered ${status} without a token`;
  return new GatewayError('ACTION_FAILED', `${new URL(url).hostname} gave no access: ${reason}.`);
}
