import { createHmac, randomBytes } from 'node:crypto';
import type { ConnectSession } from '../domain/connect-session.ts';
import { GatewayError } from '../domain/errors.ts';
import { type CodeFlow, consentUrl } from '../infra/authorization-code.ts';
import type { AuthMethod } from '../integrations/definition.ts';
import { markConnecting } from '../store/connect-sessions.ts';
import { findOauthApp } from '../store/oauth-apps.ts';
import { asksConsent } from './create-oauth-app.ts';
import type { Gateway } from './gateway.ts';

/**
 * Sends somebody to the third party: answers the address where consent is asked, and the state that comes back with the answer. The
 * session is CONNECTING from then on. Throws VALIDATION_ERROR where no consent can be asked, or the session is over.
 */
export async function beginConsent(gateway: Gateway, session: ConnectSession, method: AuthMethod): Promise<{ url: string; state: string }> {
  const app = await findOauthApp(gateway.db, session.orgId, session.integrationName);
  if (!app || !asksConsent(method)) throw new GatewayError('VALIDATION_ERROR', 'There is no OAuth app to ask for consent with.');
  const state = randomBytes(32).toString('base64url');
  const flow = { usedMethodKey: method.key, stateHash: gateway.tokens.hash(state) };
  if (!(await markConnecting(gateway.db, session.id, flow))) {
    throw new GatewayError('VALIDATION_ERROR', 'This session is over. Ask for a new link.');
  }
  return { url: consentUrl(method.oauth2, codeFlow(gateway, app, state), state), state };
}

/** The values of a flow: the verifier follows from the state under a key of ours, so that nothing needs to be kept. */
export function codeFlow({ config, tokens }: Gateway, { clientId }: { clientId: string }, state: string): CodeFlow {
  return {
    clientId,
    redirectUri: `${config.platformUrl}/connect/callback`,
    codeVerifier: createHmac('sha256', tokens.key('consent code verifier')).update(state).digest('base64url'),
  };
}
