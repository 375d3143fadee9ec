import { signInByOpenId } from '../../../../commands/members/sign-in-by-openid.ts';
import { limitSource } from '../../../../commands/oauth/limit-source.ts';
import { beginOpenIdSignIn, takeBegunSignIn } from '../../../../commands/sign-in/openid-sign-in.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { OPENID_SIGN_IN_SECONDS } from '../../../../domain/oauth/sign-in.ts';
import { notFound } from '../../../route.ts';
import { writeCookie } from '../../layout/write-cookie.ts';
import { nextPath, nextValue } from '../next-path.ts';
import type { AppPage, Done, PublicScreen, Visitor } from '../screen.ts';
import { browserOf } from './browser-of.ts';
import { askForPassword, waitSentence } from './sign-in-screen.ts';
import { startSession } from './start-session.ts';

const COOKIE = 'gateway_openid';
/** Parameters of the provider's answer (RFC 6749 section 4.1.2, RFC 9207). */
const ANSWER = ['code', 'state', 'iss', 'error', 'error_description'];

/** Sign-in of members at the OpenID provider (decision record 69). */
export const openIdScreens: readonly PublicScreen[] = [
  {
    path: '/sign-in/openid',
    post: async (visitor) => {
      const { gateway, ctx, form, root } = visitor;
      const next = nextValue(nextPath(form.get('next'), root), root);
      const waitSeconds = await limitSource(gateway, 'openid-sign-in', ctx.ip);
      if (waitSeconds !== undefined) {
        ctx.set('Retry-After', String(waitSeconds));
        return askForPassword(visitor, next, undefined, 429, waitSentence(waitSeconds));
      }
      return orSay(visitor, next, async () => {
        const begun = await beginOpenIdSignIn(gateway, { next, requiresNewSignIn: form.get('anew') === '1' }, 'member');
        keepSecret(visitor, begun.browserSecret, OPENID_SIGN_IN_SECONDS);
        const { host } = gateway.openId!;
        const { signInUrl } = begun;
        const data = { host, signInUrl };
        return { title: `Sign in at ${host}`, template: 'sign-in/openid-leave', data, hasSecret: true, refreshTo: signInUrl };
      });
    },
  },
  {
    path: '/sign-in/openid/callback',
    get: async ({ gateway, query }) => {
      if (!gateway.openId || !query.has('state')) throw notFound();
      const answer = ANSWER.flatMap((name) => (query.has(name) ? [{ name, value: query.get(name) }] : []));
      const { host } = gateway.openId;
      return { title: `Back from ${host}`, template: 'sign-in/openid-return', data: { host, answer }, hasSecret: true };
    },
    post: async (visitor) => {
      const { gateway, ctx, form, root } = visitor;
      const browserSecret = ctx.cookies.get(COOKIE, { signed: false }) ?? '';
      keepSecret(visitor, '', 0);
      const begun = await takeBegunSignIn(gateway, browserSecret);
      if (!begun) return askForPassword(visitor, null, undefined, 400, 'This sign-in has ended, or another browser began it. Try again.');
      return orSay(visitor, begun.next, async () => {
        const token = await signInByOpenId(gateway, {
          browserSecret,
          requiresNewSignIn: begun.requiresNewSignIn,
          answer: form,
          ...browserOf(ctx),
        });
        await startSession(visitor, token);
        return { seeOther: nextPath(begun.next, root) };
      });
    },
  },
];

async function orSay(visitor: Visitor, next: string, act: () => Promise<AppPage | Done>): Promise<AppPage | Done> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'NOT_FOUND') throw error;
    return askForPassword(visitor, next, undefined, error.status, error.message);
  }
}

function keepSecret({ ctx, gateway }: Visitor, value: string, maxAgeSeconds: number): void {
  writeCookie(ctx, gateway.config, { name: COOKIE, value, path: '/app/sign-in', maxAgeSeconds });
}
