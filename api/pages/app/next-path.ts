/** `URL` needs a base to parse a path. */
const BASE = 'http://dashboard.invalid';

/**
 * The path that `next` names, without the root of the dashboard. Returns `/` (the overview) for a
 * path outside the root and for pages of the sign-in.
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

/** The path of the sign-in page, below the root. After the sign-in the browser opens `path`. */
export function signInPath(path: string, root: string, { requiresNewSignIn = false } = {}): string {
  return `/sign-in?${new URLSearchParams({ next: nextValue(path, root), ...(requiresNewSignIn && { anew: '1' }) })}`;
}
