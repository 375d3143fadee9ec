import { createHmac, randomBytes } from 'node:crypto';
import type { ConnectSession } from '../../domain/connect-session.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { OauthApp } from '../../domain/oauth-app.ts';
import { type CodeFlow, consentUrl } from '../../infra/oauth/authorization-code.ts';
import type { AuthMethod } from '../../integrations/definition.ts';
import { endpointsOf } from '../../integrations/oauth-endpoints.ts';
import { markConnecting } from '../../store/connect-sessions.ts';
import { findOauthApp } from '../../store/oauth-apps.ts';
import { asksConsent } from '../connections/create-oauth-app.ts';
import { redirectUriOf } from '../connections/redirect-uri.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Starts the consent flow. Returns the consent URL and the OAuth `state`. `consentProps` are parsed
 * form values. Throws VALIDATION_ERROR.
 */
export async function beginConsent(
  gateway: Gateway,
  session: ConnectSession,
  method: AuthMethod,
  consentProps: Record<string, unknown>,
): Promise<{ url: string; state: string }> {
  const app = await findOauthApp(gateway.db, session.orgId, session.integrationName);
  if (!app || !asksConsent(method)) {
    throw new GatewayError(
      'VALIDATION_ERROR',
      'Asking for consent needs an OAuth app and a way to connect that asks for consent. One of them is missing.',
    );
  }
  const state = randomBytes(32).toString('base64url');
  const flow = { usedMethodKey: method.key, stateHash: gateway.tokens.hash(state), consentProps };
  const endpoints = endpointsOf(method.oauth2, consentProps);
  if (!(await markConnecting(gateway.db, session.id, flow))) {
    throw new GatewayError('VALIDATION_ERROR', 'This session is over. Ask for a new link.');
  }
  return { url: consentUrl(endpoints, codeFlow(gateway, app, state), state), state };
}

/** The code verifier (PKCE) is derived from the OAuth `state`, so that it need not be stored. */
export function codeFlow({ config, tokens }: Gateway, app: Pick<OauthApp, 'clientId' | 'callbackId'>, state: string): CodeFlow {
  return {
    clientId: app.clientId,
    redirectUri: redirectUriOf(config, app),
    codeVerifier: createHmac('sha256', tokens.key('consent code verifier')).update(state).digest('base64url'),
  };
}
