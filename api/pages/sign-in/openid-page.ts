import type { Context } from 'koa';
import type { Gateway } from '../../../commands/gateway.ts';
import { limitSource } from '../../../commands/oauth/limit-source.ts';
import { beginOpenIdSignIn, finishOpenIdSignIn, takeBegunSignIn } from '../../../commands/sign-in/openid-sign-in.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { notFound } from '../../route.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import type { Page } from '../layout/render-page.ts';
import { askForAddress } from './address-page.ts';
import { type SignInRequest, signInRequest } from './next-path.ts';
import { clearOpenIdCookie, readOpenIdCookie, setOpenIdCookie, setSignInCookie } from './sign-in-cookies.ts';
import { afterSignIn } from './signed-in-page.ts';

/** Redirects to the OpenID provider, or shows the sign-in page with a problem. */
export async function beginOpenId(gateway: Gateway, ctx: Context, request: SignInRequest): Promise<Page | SeeOther> {
  const waitSeconds = await limitSource(gateway, 'openid-sign-in', ctx.ip);
  if (waitSeconds !== undefined) {
    ctx.set('Retry-After', String(waitSeconds));
    return problem(gateway, request, new GatewayError('RATE_LIMITED', 'Too many sign-ins were begun. Wait, then try again.'));
  }
  try {
    const { signInUrl, browserSecret } = await beginOpenIdSignIn(gateway, request);
    setOpenIdCookie(ctx, gateway.config, browserSecret);
    return { seeOther: signInUrl };
  } catch (error) {
    return problem(gateway, request, error);
  }
}

const SEND_AT_ONCE = 'document.forms[0].requestSubmit()';

/** Parameters of the provider's answer (RFC 6749 section 4.1.2, RFC 9207). */
const ANSWER = ['code', 'state', 'iss', 'error', 'error_description'];

/** The page at the redirect URI. GET changes nothing: the page posts the answer. */
export async function showOpenIdAnswer({ openId }: Gateway, ctx: Context): Promise<Page> {
  if (!openId || typeof ctx.query.state !== 'string') throw notFound();
  const answer = ANSWER.flatMap((name) => (typeof ctx.query[name] === 'string' ? [{ name, value: ctx.query[name] }] : []));
  return {
    title: `Back from ${openId.host}`,
    template: 'sign-in/openid',
    data: { provider: openId.host, answer },
    script: SEND_AT_ONCE,
  };
}

/** Signs in the person whom the provider confirms, or shows the sign-in page with a problem. */
export async function finishOpenId(gateway: Gateway, ctx: Context, form: URLSearchParams): Promise<Page | SeeOther> {
  const browserSecret = readOpenIdCookie(ctx) ?? '';
  clearOpenIdCookie(ctx, gateway.config);
  const begun = await takeBegunSignIn(gateway, browserSecret);
  if (!begun)
    return problem(
      gateway,
      signInRequest(() => undefined),
      over(),
    );
  try {
    const sessionToken = await finishOpenIdSignIn(gateway, browserSecret, begun, form);
    setSignInCookie(ctx, gateway.config, sessionToken);
    return afterSignIn('../..', begun.next);
  } catch (error) {
    return problem(gateway, begun, error);
  }
}

function over(): GatewayError {
  return new GatewayError('VALIDATION_ERROR', 'This sign-in has ended, or another browser began it. Sign in again.');
}

function problem(gateway: Gateway, request: SignInRequest, error: unknown): Page {
  if (!(error instanceof GatewayError) || error.code === 'NOT_FOUND') throw error;
  return askForAddress(gateway, request, { status: error.status, message: error.message });
}
