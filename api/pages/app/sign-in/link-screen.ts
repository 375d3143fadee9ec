import { readMemberLink, signInByLink } from '../../../../commands/members/member-links.ts';
import { findSignedInMember } from '../../../../commands/members/member-session.ts';
import { endedLinkPage } from '../problem-pages.ts';
import type { PublicScreen } from '../screen.ts';
import { browserOf } from './browser-of.ts';
import { startSession } from './start-session.ts';

const ENDED = endedLinkPage(
  'This link no longer works, or is not complete. A link works once, and a newer link replaces it. Ask an admin of your organization for a new invitation, or make a sign-in link on the machine of the service: npm run --silent admin -- sign-in-link --email E',
);

/** `/app/sign-in/link?token=…`: GET only asks, because mail programs open links. POST signs in. */
export const linkScreen: PublicScreen = {
  path: '/sign-in/link',
  get: async ({ gateway, query }) => {
    const token = query.get('token') ?? '';
    const member = await readMemberLink(gateway, token);
    if (!member) return ENDED;
    return { title: `Sign in as ${member.email}?`, template: 'sign-in/link', data: { email: member.email, token }, hasSecret: true };
  },
  post: async (visitor) => {
    const { gateway, ctx, form } = visitor;
    const session = await signInByLink(gateway, form.get('token') ?? '', browserOf(ctx));
    if (session === undefined) return ENDED;
    await startSession(visitor, session);
    const member = await findSignedInMember(gateway, session);
    if (member?.hasPassword || gateway.config.memberSignIn.isOpenIdOnly) return { seeOther: '/' };
    return { seeOther: '/account', done: 'You are signed in. Set a password to sign in next time.' };
  },
};
