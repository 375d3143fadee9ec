/** Any base: only the path is read. */
const BASE = 'http://dashboard.invalid';

/** The path below /app that a sign-in leads back to. Anything else gives the overview. */
export function nextPath(next: string | null): string {
  if (next === null || !next.startsWith('/') || /[\\\p{C}]/u.test(next) || !URL.canParse(next, BASE)) return '/';
  const { origin, pathname, search } = new URL(next, BASE);
  return origin === BASE && !pathname.startsWith('//') && !pathname.startsWith('/sign-') ? pathname + search : '/';
}

/** The sign-in that leads back to a path below /app. */
export function signInPath(next: string, { isAnew = false } = {}): string {
  return `/sign-in?${new URLSearchParams({ next, ...(isAnew && { anew: '1' }) })}`;
}
