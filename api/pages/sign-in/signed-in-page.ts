import type { Context } from 'koa';
import type { SeeOther } from '../layout/hosted-page.ts';
import type { Page } from '../layout/render-page.ts';

const SIGNED_IN = 'signed-in';

/**
 * Redirects to the next page after a form of the sign-in. `root` is the relative path from the form
 * to PLATFORM_URL.
 */
export function afterSignIn(root: string, next: string): SeeOther {
  return { seeOther: next.startsWith('/oauth/') ? `${root}${next}?${SIGNED_IN}` : root + next };
}

/** Whether `afterSignIn` redirected the browser to this page. */
export function comesFromSignIn({ query }: Pick<Context, 'query'>): boolean {
  return SIGNED_IN in query;
}

/**
 * A page that opens `refreshTo`, in place of a redirect. Browsers check a redirect after a form
 * against `form-action`, which cannot list every address of a client.
 */
export function signedInPage(refreshTo: string): Page {
  return { title: 'You are signed in', template: 'sign-in/signed-in', data: {}, refreshTo };
}
