import { findSignedInMember } from '../../../../commands/members/member-session.ts';
import { signInByPassword } from '../../../../commands/members/sign-in-by-password.ts';
import { EMAIL_MAX_LENGTH } from '../../../../domain/limits.ts';
import { PASSWORD } from '../../../../domain/member.ts';
import { notFound } from '../../../route.ts';
import { type Field, type FormSpec, formPage } from '../form.ts';
import { nextPath, nextValue } from '../next-path.ts';
import type { AppPage, PublicScreen, Visitor } from '../screen.ts';
import { readSessionCookie } from '../session-cookie.ts';
import { browserOf } from './browser-of.ts';
import { startSession } from './start-session.ts';

const FIELDS: readonly Field[] = [
  { name: 'email', label: 'E-mail', kind: 'email', maxLength: EMAIL_MAX_LENGTH, autocomplete: 'username' },
  { name: 'password', label: 'Password', kind: 'password', maxLength: 2 * PASSWORD.max, autocomplete: 'current-password' },
];

/**
 * `/app/sign-in`: signs a member in with a password. With `anew=1` in the URL, a signed-in member
 * must sign in again.
 */
export const signInScreen: PublicScreen = {
  path: '/sign-in',
  get: async (visitor) => {
    const { gateway, ctx, query, root } = visitor;
    const member = await findSignedInMember(gateway, readSessionCookie(ctx, gateway.config));
    const requiresNewSignIn = query.get('anew') === '1';
    if (member && !requiresNewSignIn) return { seeOther: nextPath(query.get('next'), root) };
    return askForPassword(visitor, query.get('next'), member && new URLSearchParams({ email: member.email }));
  },
  post: async (visitor) => {
    const { gateway, ctx, form, root } = visitor;
    assertPasswordsCount(gateway);
    const [email, password] = [form.get('email') ?? '', form.get('password') ?? ''];
    const signedIn = await signInByPassword(gateway, { email, password, ...browserOf(ctx) });
    if (signedIn.outcome === 'signed-in') {
      await startSession(visitor, signedIn.token);
      return { seeOther: nextPath(form.get('next'), root) };
    }
    if (signedIn.outcome === 'refused')
      return askForPassword(visitor, form.get('next'), form, 400, "That e-mail and password don't match.");
    ctx.set('Retry-After', String(signedIn.waitSeconds));
    return askForPassword(visitor, form.get('next'), form, 429, waitSentence(signedIn.waitSeconds));
  },
};

/** Throws NOT_FOUND if members can sign in only at the OpenID provider. */
export function assertPasswordsCount({ config }: Visitor['gateway']): void {
  if (config.memberSignIn.isOpenIdOnly) throw notFound();
}

/** The sentence after too many tries. */
export function waitSentence(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many tries. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`;
}

/** The sign-in page. `asked` is the page to return to, `sentence` says why a sign-in failed. */
export function askForPassword(
  visitor: Visitor,
  asked: string | null,
  typed?: URLSearchParams,
  status?: number,
  sentence?: string,
): AppPage {
  const { config, mailer, openId } = visitor.gateway;
  const next = nextValue(nextPath(asked, visitor.root), visitor.root);
  const requiresNewSignIn = visitor.query.get('anew') === '1';
  const spec: FormSpec = {
    title: 'Sign in',
    fields: FIELDS,
    button: 'Sign in',
    otherButton: mailer && { label: 'E-mail me a code', action: '/sign-in/code/send' },
    hidden: { next },
    template: 'sign-in/sign-in',
    data: {
      requiresNewSignIn,
      docs: `${config.baseUrl}/docs`,
      next,
      provider: openId?.host,
      isOpenIdOnly: config.memberSignIn.isOpenIdOnly,
    },
  };
  return formPage(spec, typed, status === undefined ? undefined : { status, lead: sentence });
}
