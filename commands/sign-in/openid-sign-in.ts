import { createHmac } from 'node:crypto';
import { GatewayError } from '../../domain/errors.ts';
import { normalizeEmail, OPENID_SIGN_IN_SECONDS } from '../../domain/oauth/sign-in.ts';
import { OpenIdError, type OpenIdFlow, type OpenIdPerson, type OpenIdProvider } from '../../infra/oauth/openid-provider.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { upsertIdentity } from '../../store/identities.ts';
import { type BegunOpenIdSignIn, insertOpenIdSignIn, takeOpenIdSignIn } from '../../store/openid-sign-ins.ts';
import type { Gateway } from '../gateway.ts';
import { openSignInSession } from './open-sign-in-session.ts';

/**
 * Each audience has its own redirect URI, state, nonce and code verifier. An answer for one
 * audience is therefore invalid for the other.
 */
type Audience = 'end user' | 'member';

/** The redirect URIs, relative to PLATFORM_URL. */
const OPENID_CALLBACKS: Record<Audience, string> = { 'end user': '/sign-in/openid/callback', member: '/app/sign-in/openid/callback' };

/** The URL where a person signs in, and the secret that binds the sign-in to the browser. */
export interface BegunSignIn {
  signInUrl: string;
  browserSecret: string;
}

/**
 * Begins a sign-in at the configured OpenID provider. Throws NOT_FOUND if none is configured, and
 * UNAVAILABLE if the provider does not answer.
 */
export async function beginOpenIdSignIn(
  gateway: Gateway,
  { next, requiresNewSignIn }: BegunOpenIdSignIn,
  audience: Audience = 'end user',
): Promise<BegunSignIn> {
  const provider = providerOf(gateway);
  const browserSecret = gateway.tokens.issue('sin_');
  const signInUrl = await provider.signInUrl(flowOf(gateway, audience, browserSecret, requiresNewSignIn)).catch(refuse(gateway, provider));
  const browserHash = gateway.tokens.hash(browserSecret);
  await insertOpenIdSignIn(gateway.db, browserHash, { next, requiresNewSignIn }, OPENID_SIGN_IN_SECONDS);
  return { signInUrl, browserSecret };
}

/** Consumes the sign-in that this browser has begun; undefined if there is none. */
export async function takeBegunSignIn({ db, tokens }: Gateway, browserSecret: string): Promise<BegunOpenIdSignIn | undefined> {
  return isWellFormed(browserSecret, 'sin_') ? takeOpenIdSignIn(db, tokens.hash(browserSecret)) : undefined;
}

/**
 * Finishes the sign-in of an end user and returns the token of the session. Throws the errors of
 * `confirmOpenIdPerson`.
 */
export async function finishOpenIdSignIn(
  gateway: Gateway,
  browserSecret: string,
  { requiresNewSignIn }: BegunOpenIdSignIn,
  answer: URLSearchParams,
): Promise<string> {
  const person = await confirmOpenIdPerson(gateway, 'end user', { browserSecret, requiresNewSignIn, answer });
  return gateway.db.transaction(async (tx) => {
    const { issuer, subject, email, authenticatedAt } = person;
    const identity = await upsertIdentity(tx, { issuer, subject, email });
    return openSignInSession({ ...gateway, db: tx }, identity, authenticatedAt);
  });
}

type ConfirmedPerson = OpenIdPerson & { email: string };

/**
 * Returns the person in the provider's answer to a sign-in that this browser began. Throws
 * SCOPE_DENIED if the sign-in fails or the provider has not verified an e-mail address, and
 * UNAVAILABLE if the provider does not answer.
 */
export async function confirmOpenIdPerson(
  gateway: Gateway,
  audience: Audience,
  { browserSecret, requiresNewSignIn, answer }: { browserSecret: string; requiresNewSignIn: boolean; answer: URLSearchParams },
): Promise<ConfirmedPerson> {
  const provider = providerOf(gateway);
  const person = await provider
    .personOf(answer, flowOf(gateway, audience, browserSecret, requiresNewSignIn))
    .catch(refuse(gateway, provider));
  const email = person.verifiedEmail === undefined ? undefined : normalizeEmail(person.verifiedEmail);
  if (email === undefined)
    throw new GatewayError('SCOPE_DENIED', `${provider.host} has not verified your e-mail address. Verify it there, then sign in again.`);
  return { ...person, email };
}

function providerOf({ openId }: Gateway): OpenIdProvider {
  if (!openId) throw new GatewayError('NOT_FOUND', 'This service has no OpenID provider.');
  return openId;
}

/** Derives the flow from the browser's secret, so an answer is invalid in another browser. */
function flowOf({ config }: Gateway, audience: Audience, browserSecret: string, requiresNewSignIn: boolean): OpenIdFlow {
  const value = (purpose: string) => createHmac('sha256', browserSecret).update(`openid ${audience} ${purpose}`).digest('base64url');
  return {
    ...{ redirectUri: config.platformUrl + OPENID_CALLBACKS[audience], requiresNewSignIn },
    ...{ state: value('state'), nonce: value('nonce'), codeVerifier: value('code verifier') },
  };
}

function refuse({ logger }: Gateway, { host }: OpenIdProvider) {
  return (error: unknown): never => {
    if (!(error instanceof OpenIdError)) throw error;
    logger.warn({ issuerHost: host, reason: error.reason, error: error.message }, 'sign-in at the OpenID provider failed');
    if (error.reason === 'unavailable') throw new GatewayError('UNAVAILABLE', `${host} does not answer. Try again in a moment.`);
    const sentence = error.reason === 'refused' ? `${host} ended the sign-in.` : `The answer of ${host} is not valid.`;
    throw new GatewayError('SCOPE_DENIED', `${sentence} Nobody was signed in. Try again.`);
  };
}
