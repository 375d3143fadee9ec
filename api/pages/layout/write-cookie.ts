import type { Context } from 'koa';
import type { Config } from '../../../infra/config.ts';

/** A cookie of hosted pages. It is `HttpOnly`, `SameSite=Lax` and limited to a path. */
export interface PageCookie {
  name: string;
  value: string;
  /** Path below PLATFORM_URL, such as `/sign-in`. */
  path: string;
  /** 0 deletes the cookie. */
  maxAgeSeconds: number;
}

/**
 * Sets a cookie. Does not use Koa's cookie library, which refuses to set `Secure` behind a proxy
 * that terminates TLS.
 */
export function writeCookie(ctx: Context, { platformUrl }: Pick<Config, 'platformUrl'>, cookie: PageCookie): void {
  const { pathname, protocol } = new URL(platformUrl + cookie.path);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const { name, value, maxAgeSeconds } = cookie;
  ctx.append('Set-Cookie', `${name}=${value}; Path=${pathname}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`);
}
