import { signInByCode } from '../../../../commands/members/sign-in-by-code.ts';
import { sendSignInCode } from '../../../../commands/sign-in/send-sign-in-code.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { SIGN_IN_CODE } from '../../../../domain/oauth/sign-in.ts';
import { writeCookie } from '../../layout/write-cookie.ts';
import { type FormSpec, formPage } from '../form.ts';
import { nextPath, nextValue } from '../next-path.ts';
import type { AppPage, PublicScreen, Visitor } from '../screen.ts';
import { browserOf } from './browser-of.ts';
import { askForPassword, assertPasswordsCount } from './sign-in-screen.ts';
import { startSession } from './start-session.ts';

const COOKIE = 'gateway_code';

/** Sign-in with an e-mailed code, in the browser that asked for the code. */
export const codeScreens: readonly PublicScreen[] = [
  {
    path: '/sign-in/code/send',
    post: async (visitor) => {
      const { gateway, ctx, form, root } = visitor;
      assertPasswordsCount(gateway);
      const next = form.get('next');
      try {
        const { browserSecret } = await sendSignInCode(gateway, { email: form.get('email') ?? '', source: ctx.ip });
        keepSecret(visitor, browserSecret, SIGN_IN_CODE.lifetimeSeconds);
        return { seeOther: `/sign-in/code?${new URLSearchParams({ next: nextValue(nextPath(next, root), root) })}` };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (error.code === 'RATE_LIMITED') ctx.set('Retry-After', '3600');
        return askForPassword(visitor, next, form, error.status, error.message);
      }
    },
  },
  {
    path: '/sign-in/code',
    get: async ({ gateway, query, root }) => {
      assertPasswordsCount(gateway);
      return askForCode(root, query.get('next'));
    },
    post: async (visitor) => {
      const { gateway, ctx, form, root } = visitor;
      assertPasswordsCount(gateway);
      const next = form.get('next');
      const browserSecret = ctx.cookies.get(COOKIE, { signed: false }) ?? '';
      const verified = await signInByCode(gateway, { browserSecret, code: form.get('code') ?? '', ...browserOf(ctx) });
      if (verified.outcome === 'wrong') return askForCode(root, next, `That is not the code. Tries left: ${verified.guessesLeft}.`);
      keepSecret(visitor, '', 0);
      const token = verified.outcome === 'verified' ? verified.value : undefined;
      if (token !== undefined) {
        await startSession(visitor, token);
        return { seeOther: nextPath(next, root) };
      }
      const why =
        verified.outcome === 'over' ? 'The code no longer works. Ask for a new code.' : 'This e-mail address belongs to no member.';
      return askForPassword(visitor, next, undefined, 400, why);
    },
  },
];

function keepSecret({ ctx, gateway }: Visitor, value: string, maxAgeSeconds: number): void {
  writeCookie(ctx, gateway.config, { name: COOKIE, value, path: '/app/sign-in', maxAgeSeconds });
}

function askForCode(root: string, next: string | null, sentence?: string): AppPage {
  const spec: FormSpec = {
    title: 'Sign in',
    intro: `We mailed you a code of ${SIGN_IN_CODE.digits} digits. It works for ${SIGN_IN_CODE.lifetimeSeconds / 60} minutes, in this browser.`,
    fields: [{ name: 'code', label: 'Code', kind: 'text', autocomplete: 'one-time-code', maxLength: 20 }],
    button: 'Sign in',
    cancel: '/sign-in',
    hidden: { next: nextValue(nextPath(next, root), root) },
  };
  return formPage(spec, undefined, sentence === undefined ? undefined : { status: 400, lead: sentence });
}
