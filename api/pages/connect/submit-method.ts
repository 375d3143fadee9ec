import type { Context } from 'koa';
import { beginConsent } from '../../../commands/connect/begin-consent.ts';
import { parseProps } from '../../../commands/connections/check-credentials.ts';
import type { GrantedAccess } from '../../../commands/connections/connect-account.ts';
import { asksConsent } from '../../../commands/connections/create-oauth-app.ts';
import type { Offer } from '../../../commands/connections/offer-methods.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { ConnectSession } from '../../../domain/connect-session.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import type { Page } from '../layout/render-page.ts';
import { setConsentCookie } from './consent-cookie.ts';
import type { Attempt } from './present-methods.ts';
import { type Problems, problemsOf, readConsentProps, readCredentials } from './read-credentials.ts';

/** What a page does with a submitted connection method. */
export interface ConnectSteps {
  /** The consent cookie holds this token until the third party answers. */
  token: string;
  session(): Promise<ConnectSession>;
  /** Returns a page if the session has ended meanwhile. */
  connect(access: GrantedAccess): Promise<SeeOther | Page>;
}

/**
 * Redirects to the third party, or connects the account. Returns an `Attempt` if the input has
 * problems.
 */
export async function submitMethod(
  ctx: Context,
  gateway: Gateway,
  { offers, form }: { offers: readonly Offer[]; form: URLSearchParams },
  steps: ConnectSteps,
): Promise<SeeOther | Page | Attempt> {
  const offer = offers.find(({ method, isReady }) => isReady && method.key === form.get('method'));
  if (!offer) throw new GatewayError('VALIDATION_ERROR', 'The form must name a connection method of this page.');
  const { method } = offer;
  const attempt = (problems: Problems): Attempt => ({ methodKey: method.key, form, problems });
  if (asksConsent(method)) {
    const entered = readConsentProps(method, form);
    if ('problems' in entered) return attempt(entered.problems);
    const props = await orProblems(() => parseProps(method.props, entered.props));
    if ('problems' in props) return attempt(props.problems);
    const { url, state } = await beginConsent(gateway, await steps.session(), method, props.result);
    setConsentCookie(ctx, gateway.config, state, steps.token);
    return { seeOther: url };
  }
  const entered = readCredentials(method, form);
  if ('problems' in entered) return attempt(entered.problems);
  const connected = await orProblems(() => steps.connect({ authMethodKey: method.key, credentials: entered.credentials }));
  return 'problems' in connected ? attempt(connected.problems) : connected.result;
}

async function orProblems<Result>(work: () => Result | Promise<Result>): Promise<{ result: Result } | { problems: Problems }> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'VALIDATION_ERROR') throw error;
    return { problems: problemsOf(error) };
  }
}

/** The authorization URLs that forms with these methods can redirect to. */
export function consentAddresses(offers: readonly Offer[]): string[] {
  return offers.flatMap(({ method, isReady }) => (isReady && asksConsent(method) ? [method.oauth2.authorizationUrl] : []));
}
