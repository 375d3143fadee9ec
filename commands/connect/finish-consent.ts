import type { Actor } from '../../domain/approval.ts';
import type { ConnectSession } from '../../domain/connect-session.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isAnswerOf } from '../../domain/oauth/is-answer-of.ts';
import { redactText } from '../../domain/redaction/redact-text.ts';
import { exchangeCode } from '../../infra/oauth/authorization-code.ts';
import { endpointsOf } from '../../integrations/oauth-endpoints.ts';
import { findConnectSessionByState, markFailed, takeState } from '../../store/connect-sessions.ts';
import { findOauthApp } from '../../store/oauth-apps.ts';
import type { GrantedAccess } from '../connections/connect-account.ts';
import { asksConsent, openClientSecret } from '../connections/create-oauth-app.ts';
import type { Gateway } from '../gateway.ts';
import { codeFlow } from './begin-consent.ts';
import { completeConnectSession, linkHolder } from './complete-connect-session.ts';
import { findSessionOfToken } from './get-connect-session.ts';
import { lookUpAccount } from './look-up-account.ts';
import { findPortalToken, portalUser } from './open-portal.ts';

/** The answer that the third party sent with its redirect: a code or an error. */
export interface ConsentAnswer {
  state: string;
  code: string | null;
  error: string | null;
  errorDescription: string | null;
  /** The issuer that the answer names (RFC 9207). */
  issuer: string | null;
  /**
   * Last segment of the redirect URI at which the answer arrived. Null for the shared redirect URI.
   */
  callbackId: string | null;
}

/** The session that waits for this OAuth `state`; undefined if there is none. Changes nothing. */
export async function findWaitingSession(gateway: Gateway, state: string): Promise<ConnectSession | undefined> {
  return findConnectSessionByState(gateway.db, gateway.tokens.hash(state));
}

/**
 * Consumes the third party's answer, and returns the session as COMPLETED or FAILED. `pageToken`
 * proves that the answer comes from the browser that started the flow. Throws VALIDATION_ERROR if
 * it does not, or if the session no longer waits for this answer.
 */
export async function finishConsent(gateway: Gateway, answer: ConsentAnswer, pageToken: string): Promise<ConnectSession> {
  const waiting = await findWaitingSession(gateway, answer.state);
  if (!waiting) throw usedUp();
  const holder = await findHolder(gateway, waiting, pageToken);
  if (!holder) {
    throw new GatewayError('VALIDATION_ERROR', 'This answer belongs to another browser, or to a link that has expired.');
  }
  const session = await takeState(gateway.db, gateway.tokens.hash(answer.state));
  if (!session) throw usedUp();
  const ended = await completeOrFail(gateway, session, answer, holder);
  if (!ended) throw usedUp();
  return ended;
}

async function completeOrFail(
  gateway: Gateway,
  session: ConnectSession,
  answer: ConsentAnswer,
  by: Actor,
): Promise<ConnectSession | undefined> {
  try {
    return await completeConnectSession(gateway, session, await requestAccess(gateway, session, answer), by);
  } catch (error) {
    const reason = reasonOf(error);
    await markFailed(gateway.db, session.id, reason);
    return { ...session, status: 'FAILED', error: reason };
  }
}

/** Undefined unless `pageToken` is of this session or of the end user's portal. */
async function findHolder(gateway: Gateway, session: ConnectSession, pageToken: string): Promise<Actor | undefined> {
  const own = await findSessionOfToken(gateway, pageToken);
  if (own) return own.id === session.id ? linkHolder(session) : undefined;
  const portal = await findPortalToken(gateway, pageToken);
  const isOwn = portal?.workspaceId === session.workspaceId && portal.endUser.externalId === session.endUserId;
  return isOwn ? portalUser(portal) : undefined;
}

async function requestAccess(gateway: Gateway, session: ConnectSession, answer: ConsentAnswer): Promise<GrantedAccess> {
  const integration = await gateway.catalog.get(session.orgId, session.integrationName);
  const method = integration.auth?.find(({ key }) => key === session.usedMethodKey);
  const app = await findOauthApp(gateway.db, session.orgId, session.integrationName);
  if (!method || !asksConsent(method) || !app) {
    throw new GatewayError('ACTION_FAILED', 'The OAuth app or the way to connect was removed before the third party answered.');
  }
  const consentProps = session.consentProps ?? {};
  const endpoints = endpointsOf(method.oauth2, consentProps);
  if (answer.callbackId !== app.callbackId || !isAnswerOf(endpoints, answer.issuer))
    throw mixedUp(gateway, session, integration.displayName);
  if (answer.error !== null || answer.code === null) throw declined(integration.displayName, answer);
  const { expiresInSeconds, ...grant } = await exchangeCode(gateway.outbound, endpoints, {
    ...codeFlow(gateway, app, answer.state),
    clientSecret: await openClientSecret(gateway, app),
    code: answer.code,
  });
  const found = method.oauth2.account && (await lookUpAccount(gateway.outbound, method.oauth2.account, grant.accessToken, consentProps));
  return {
    authMethodKey: method.key,
    credentials: { type: method.type, ...grant, data: { ...grant.data, ...found, ...consentProps } },
    expiresAt: expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000),
  };
}

/** Neither shows nor logs the answer, because another authorization server sent it. */
function mixedUp({ logger }: Gateway, { id, integrationName }: ConnectSession, name: string): GatewayError {
  logger.warn({ sessionId: id, integrationName }, 'authorization answer of another server refused');
  return new GatewayError(
    'ACTION_FAILED',
    `The answer did not come from ${name}. Nothing was connected. Start again, and tell your administrator.`,
  );
}

const SAID_MAX_LENGTH = 300;

function declined(name: string, { error, errorDescription }: ConsentAnswer): GatewayError {
  if (error === 'access_denied') return new GatewayError('ACTION_FAILED', `Access to ${name} was declined.`);
  const said = redactText([error, errorDescription].filter(Boolean).join(': ')).slice(0, SAID_MAX_LENGTH);
  return new GatewayError('ACTION_FAILED', `${name} gave no access: ${said || 'it sent no code'}.`);
}

/** Returns the message of an error for the person who connects. Rethrows other errors. */
function reasonOf(error: unknown): string {
  if (error instanceof GatewayError && error.status < 500) return error.message;
  throw error;
}

function usedUp(): GatewayError {
  return new GatewayError('VALIDATION_ERROR', 'This answer was already used, replaced by a newer attempt, or came too late.');
}
