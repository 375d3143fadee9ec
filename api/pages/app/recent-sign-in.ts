import { RECENT_SIGN_IN_SECONDS } from '../../../domain/member.ts';
import { signInPath } from './next-path.ts';
import { signInAgainPage } from './problem-pages.ts';
import type { AppPage, Done, Visit } from './screen.ts';

const NOT_RECENT = 'This action needs a sign-in within the last 15 minutes, so nothing was saved.';

/**
 * Returns a page or redirect that asks for a sign-in, or undefined after a sign-in within the last
 * 15 minutes.
 */
export function askForRecentSignIn({ ctx, member, root }: Visit, form?: URLSearchParams): AppPage | Done | undefined {
  if (member.sessionAgeSeconds <= RECENT_SIGN_IN_SECONDS) return undefined;
  if (form) return signInAgainPage(ctx, form, NOT_RECENT);
  return { seeOther: signInPath(ctx.path.slice('/app'.length) + ctx.search, root, { requiresNewSignIn: true }) };
}
