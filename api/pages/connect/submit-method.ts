import type { Context } from 'koa';
import { beginConsent } from '../../../commands/begin-consent.ts';
import type { GrantedAccess } from '../../../commands/connect-account.ts';
import { asksConsent } from '../../../commands/create-oauth-app.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Offer } from '../../../commands/offer-methods.ts';
import type { ConnectSession } from '../../../domain/connect-session.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import type { Page } from '../layout/render-page.ts';
import { setConsentCookie } from './consent-cookie.ts';
import type { Attempt } from './present-methods.ts';
import { problemsOf, readCredentials } from './read-credentials.ts';

/** What a page does with the way to connect that somebody chose on it. */
export interface ConnectSteps {
  /** The page's own token, which must come back with the consent. */
  token: string;
  /** The session that consent is asked in. */
  session(): Promise<ConnectSession>;
  /** Links the account; answers where to go then, or what to show where there is nothing to link any more. */
  connect(access: GrantedAccess): Promise<SeeOther | Page>;
}

/** Where a sent form leads: to the third party, or on with the account linked. An attempt when something is wrong with what was entered. */
export async function submitMethod(
  ctx: Context,
  gateway: Gateway,
  { offers, form }: { offers: readonly Offer[]; form: URLSearchParams },
  steps: ConnectSteps,
): Promise<SeeOther | Page | Attempt> {
  const offer = offers.find(({ method, isReady }) => isReady && method.key === form.get('method'));
  if (!offer) throw new GatewayError('VALIDATION_ERROR', 'The form names no way to connect that is offered here.');
  const { method } = offer;
  if (asksConsent(method)) {
    const { url, state } = await beginConsent(gateway, await steps.session(), method);
    setConsentCookie(ctx, gateway.config, state, steps.token);
    return { seeOther: url };
  }
  const entered = readCredentials(method, form);
  if ('problems' in entered) return { methodKey: method.key, form, problems: entered.problems };
  try {
    return await steps.connect({ authMethodKey: method.key, credentials: entered.credentials });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'VALIDATION_ERROR') throw error;
    return { methodKey: method.key, form, problems: problemsOf(error) };
  }
}

/** The third parties that forms with these ways to connect may lead to. */
export function consentAddresses(offers: readonly Offer[]): string[] {
  return offers.flatMap(({ method, isReady }) => (isReady && asksConsent(method) ? [method.oauth2.authorizationUrl] : []));
}
