import type { Context } from 'koa';
import type { SignInBrowser } from '../../../../commands/members/member-session.ts';

/** The browser of a request, for the list of sessions and the activity log. */
export function browserOf(ctx: Context): SignInBrowser {
  return { source: ctx.ip, userAgent: ctx.get('User-Agent') };
}
