/** Paths below PLATFORM_URL that a sign-in can return to. */
const NEXT = /^\/(account|oauth\/interaction\/[\w-]{1,64})$/;

/** The query of a sign-in page. */
export interface SignInRequest {
  next: string;
  /** Whether the OpenID provider must ask for a new sign-in, even if it still has a session. */
  requiresNewSignIn: boolean;
}

/** Reads the query of a sign-in page. An unknown path becomes `/account`. */
export function signInRequest(get: (name: string) => unknown): SignInRequest {
  const next = get('next');
  return { next: typeof next === 'string' && NEXT.test(next) ? next : '/account', requiresNewSignIn: get('anew') === '1' };
}

/** URL of a sign-in page, with the request in its query. */
export function signInAddress(page: string, { next, requiresNewSignIn }: SignInRequest): string {
  return `${page}?${new URLSearchParams({ next, ...(requiresNewSignIn && { anew: '1' }) })}`;
}
