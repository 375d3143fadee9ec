import type { Page } from '../layout/render-page.ts';

/**
 * The page after a sign-in; it goes on by itself. A redirect would not do: browsers check every
 * redirect after a form against `form-action`, and a client that the person has allowed before may
 * be at any address.
 */
export function signedInPage(goesOnTo: string): Page {
  return { title: 'You are signed in', template: 'sign-in/signed-in', data: {}, goesOnTo };
}
