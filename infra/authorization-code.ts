import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GatewayError } from '../domain/errors.ts';
import { hiderOf } from '../domain/hide-secrets.ts';
import type { Outbound, OutboundResponse } from '../domain/outbound.ts';
import { redactText } from '../domain/redact-text.ts';

/** Where a third party asks for consent and gives out tokens. */
export interface OauthProvider {
  authorizationUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
}

/** One run of the authorization-code flow (RFC 6749, 4.1; RFC 7636): the same values for asking and for the exchange. */
export interface CodeFlow {
  clientId: string;
  redirectUri: string;
  codeVerifier: string;
}

/** What a third party granted. */
export interface Grant {
  accessToken: string;
  refreshToken?: string | undefined;
  tokenType?: string | undefined;
  scope?: string | undefined;
  expiresInSeconds?: number | undefined;
  /** Whatever else it said, such as the account's address. */
  data: Record<string, unknown>;
}

/** The address where the owner of an account is asked for consent, with PKCE S256. */
export function consentUrl(provider: OauthProvider, flow: CodeFlow, state: string): string {
  const url = new URL(provider.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: flow.clientId,
    redirect_uri: flow.redirectUri,
    state,
    code_challenge: createHash('sha256').update(flow.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(provider.scopes.length > 0 && { scope: provider.scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Trades a code for tokens. Throws ACTION_FAILED with what the third party said, without anything that was sent to it. */
export async function exchangeCode(
  outbound: Outbound,
  provider: OauthProvider,
  { clientSecret, code, ...flow }: CodeFlow & { clientSecret: string; code: string },
): Promise<Grant> {
  const answer = await outbound.request({
    url: provider.tokenUrl,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: flow.redirectUri,
      client_id: flow.clientId,
      client_secret: clientSecret,
      code_verifier: flow.codeVerifier,
    }).toString(),
  });
  const fields = readFields(answer);
  const granted = answer.status < 300 ? tokenAnswer.safeParse(fields) : undefined;
  if (!granted?.success) throw refused(answer, fields, [clientSecret, code, flow.codeVerifier]);
  const { access_token, refresh_token, token_type, scope, expires_in, ...data } = granted.data;
  return { accessToken: access_token, refreshToken: refresh_token, tokenType: token_type, scope, expiresInSeconds: expires_in, data };
}

const optionalText = z.string().min(1).optional().catch(undefined);
const tokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: optionalText,
  token_type: optionalText,
  scope: optionalText,
  expires_in: z.coerce.number().positive().max(Number.MAX_SAFE_INTEGER).optional().catch(undefined),
});

/** Most answer JSON; some answer a form. */
function readFields({ body, headers }: OutboundResponse): Record<string, unknown> {
  const text = body.toString('utf8');
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? { ...value } : {};
  } catch {
    return {};
  }
}

const SAID_MAX_LENGTH = 300;

function refused(
  { status, url }: OutboundResponse,
  { error, error_description }: Record<string, unknown>,
  secrets: string[],
): GatewayError {
  const said = [error, error_description].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const reason = said ? redactText(hiderOf(secrets)(said)).slice(0, SAID_MAX_LENGTH) : `it answered ${status} without a token`;
  return new GatewayError('ACTION_FAILED', `${new URL(url).hostname} gave no access: ${reason}.`);
}
