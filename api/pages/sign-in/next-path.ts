/** Pages that a sign-in may lead back to, below PLATFORM_URL. */
const NEXT = /^\/(account|oauth\/interaction\/[\w-]{1,64})$/;

/** The query of a sign-in page. */
export interface SignInRequest {
  /** The page to show after the sign-in. */
  next: string;
  /** Whether an OpenID provider must not answer from a session that it still has. */
  requiresNewSignIn: boolean;
}

/** Reads a request. Any path not in the list above gives the account page. */
export function signInRequest(get: (name: string) => unknown): SignInRequest {
  const next = get('next');
  return { next: typeof next === 'string' && NEXT.test(next) ? next : '/account', requiresNewSignIn: get('anew') === '1' };
}

/** URL of a page of the sign-in, with the request. */
export function signInAddress(page: string, { next, requiresNewSignIn }: SignInRequest): string {
  return `${page}?${new URLSearchParams({ next, ...(requiresNewSignIn && { anew: '1' }) })}`;
}
