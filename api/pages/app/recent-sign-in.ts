import { RECENT_SIGN_IN_SECONDS } from '../../../domain/member.ts';
import { signInPath } from './next-path.ts';
import { signInAgainPage } from './problem-pages.ts';
import type { AppPage, Done, Visit } from './screen.ts';

const NOT_RECENT = 'This needs a sign-in of the last 15 minutes, so nothing was saved.';

/**
 * The answer to an action of an owner if the sign-in is older than 15 minutes; undefined if it is
 * not. A posted form is kept.
 */
export function askForRecentSignIn({ ctx, member, root }: Visit, form?: URLSearchParams): AppPage | Done | undefined {
  if (member.sessionAgeSeconds <= RECENT_SIGN_IN_SECONDS) return undefined;
  if (form) return signInAgainPage(ctx, form, NOT_RECENT);
  return { seeOther: signInPath(ctx.path.slice('/app'.length) + ctx.search, root, { requiresNewSignIn: true }) };
}
