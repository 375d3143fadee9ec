import type { Page } from '../layout/render-page.ts';

/**
 * The page after a sign-in. It continues automatically. A redirect is not possible: browsers check
 * every redirect after a form against `form-action`, and a client that the person has allowed
 * before may be at any address.
 */
export function signedInPage(refreshTo: string): Page {
  return { title: 'You are signed in', template: 'sign-in/signed-in', data: {}, refreshTo };
}
