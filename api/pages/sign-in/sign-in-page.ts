import type { Context, Middleware } from 'koa';
import type { Gateway } from '../../../commands/gateway.ts';
import { sendSignInCode } from '../../../commands/sign-in/send-sign-in-code.ts';
import { signOut } from '../../../commands/sign-in/signed-in.ts';
import { verifySignInCode } from '../../../commands/sign-in/verify-sign-in-code.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { SIGN_IN_CODE } from '../../../domain/oauth/sign-in.ts';
import { notFound } from '../../route.ts';
import { hostedPage, type SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import { askForAddress } from './address-page.ts';
import { type SignInRequest, signInAddress, signInRequest } from './next-path.ts';
import { beginOpenId, finishOpenId, showOpenIdAnswer } from './openid-page.ts';
import { clearCodeCookie, clearSignInCookie, readCodeCookie, readSignInCookie, setCodeCookie, setSignInCookie } from './sign-in-cookies.ts';
import { afterSignIn } from './signed-in-page.ts';

/**
 * `{platform_url}/sign-in`: an end user signs in with an e-mailed code, or at the OpenID provider
 * (contract decisions 8).
 */
export function signInPage(gateway: Gateway): Middleware {
  return hostedPage(gateway.logger, {
    prefix: '/sign-in',
    get: async (ctx) => {
      const request = signInRequest((name) => ctx.query[name]);
      if (ctx.path === '/sign-in') return askForAddress(gateway, request);
      if (ctx.path === '/sign-in/code') return askForCode(request);
      if (ctx.path === '/sign-in/openid/callback') return showOpenIdAnswer(gateway, ctx);
      throw notFound();
    },
    post: async (ctx) => {
      const form = await readForm(ctx, gateway.config);
      const request = signInRequest((name) => form.get(name));
      if (ctx.path === '/sign-in') return sendCode(gateway, ctx, form, request);
      if (ctx.path === '/sign-in/code') return enterCode(gateway, ctx, form, request);
      if (ctx.path === '/sign-in/openid') return beginOpenId(gateway, ctx, request);
      if (ctx.path === '/sign-in/openid/callback') return finishOpenId(gateway, ctx, form);
      if (ctx.path === '/sign-in/out') return leave(gateway, ctx);
      throw notFound();
    },
  });
}

async function sendCode(gateway: Gateway, ctx: Context, form: URLSearchParams, request: SignInRequest): Promise<Page | SeeOther> {
  const email = form.get('email') ?? '';
  try {
    const { browserSecret } = await sendSignInCode(gateway, { email, source: ctx.ip });
    setCodeCookie(ctx, gateway.config, browserSecret);
    return { seeOther: signInAddress('sign-in/code', request) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === 'RATE_LIMITED') ctx.set('Retry-After', '3600');
    return askForAddress(gateway, request, { status: error.status, message: error.message, email });
  }
}

function askForCode(request: SignInRequest, problem?: string): Page {
  const again = signInAddress('../sign-in', request);
  const data = { request, again, problem, digits: SIGN_IN_CODE.digits, minutes: SIGN_IN_CODE.lifetimeSeconds / 60 };
  return { status: problem === undefined ? 200 : 400, title: 'Enter your code', template: 'sign-in/code', data };
}

async function enterCode(gateway: Gateway, ctx: Context, form: URLSearchParams, request: SignInRequest): Promise<Page | SeeOther> {
  const verified = await verifySignInCode(gateway, readCodeCookie(ctx) ?? '', form.get('code') ?? '');
  if (verified.outcome === 'wrong') return askForCode(request, `That is not the code. Guesses left: ${verified.guessesLeft}.`);
  clearCodeCookie(ctx, gateway.config);
  if (verified.outcome === 'over')
    return askForAddress(gateway, request, { status: 400, message: 'The code no longer works. Ask for a new code.', email: '' });
  setSignInCookie(ctx, gateway.config, verified.value);
  return afterSignIn('..', request.next);
}

async function leave(gateway: Gateway, ctx: Context): Promise<SeeOther> {
  await signOut(gateway, readSignInCookie(ctx));
  clearSignInCookie(ctx, gateway.config);
  return { seeOther: '../sign-in' };
}
