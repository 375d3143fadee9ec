import { endMemberSession } from '../../../../commands/members/member-session.ts';
import type { PublicScreen } from '../screen.ts';
import { clearSessionCookie, readSessionCookie } from '../session-cookie.ts';

/** POST `/app/sign-out`: ends the session of this browser. */
export const signOutScreen: PublicScreen = {
  path: '/sign-out',
  post: async ({ gateway, ctx }) => {
    await endMemberSession(gateway, readSessionCookie(ctx, gateway.config));
    clearSessionCookie(ctx, gateway.config);
    return { seeOther: '/sign-in', done: 'You are signed out.' };
  },
};
