import type { Context } from 'koa';
import type { SeeOther } from '../layout/hosted-page.ts';
import type { Page } from '../layout/render-page.ts';

const SIGNED_IN = 'signed-in';

/**
 * Redirects to the next page after a form of a sign-in. `root`: the way from its path to
 * PLATFORM_URL. An interaction is told, because it may redirect to a client.
 */
export function afterSignIn(root: string, next: string): SeeOther {
  return { seeOther: next.startsWith('/oauth/') ? `${root}${next}?${SIGNED_IN}` : root + next };
}

/** Whether the browser comes here by the redirect after a form of the sign-in. */
export function comesFromSignIn({ query }: Pick<Context, 'query'>): boolean {
  return SIGNED_IN in query;
}

/**
 * A page that continues automatically, instead of a redirect to a client. Browsers check every
 * redirect after a form against `form-action`, and a client that the person has allowed before may
 * be at any address.
 */
export function signedInPage(refreshTo: string): Page {
  return { title: 'You are signed in', template: 'sign-in/signed-in', data: {}, refreshTo };
}
