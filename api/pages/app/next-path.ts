/** Any base: only the path is read. */
const BASE = 'http://dashboard.invalid';

/**
 * The page that `next` names, without the root of the dashboard. The overview for a path outside
 * the root, and for a page of the sign-in.
 */
export function nextPath(next: string | null, root: string): string {
  if (next === null || !next.startsWith('/') || /[\\\p{C}]/u.test(next) || !URL.canParse(next, BASE)) return '/';
  const { origin, pathname, search } = new URL(next, BASE);
  if (origin !== BASE || (pathname !== root && !pathname.startsWith(`${root}/`))) return '/';
  const path = pathname.slice(root.length) || '/';
  return path.startsWith('//') || path.startsWith('/sign-') ? '/' : path + search;
}

/** The value of `next` that leads to a path below the root. */
export function nextValue(path: string, root: string): string {
  return path === '/' ? root : root + path;
}

/** The sign-in that leads back to a path below the root. */
export function signInPath(path: string, root: string, { requiresNewSignIn = false } = {}): string {
  return `/sign-in?${new URLSearchParams({ next: nextValue(path, root), ...(requiresNewSignIn && { anew: '1' }) })}`;
}
