import type { Context } from 'koa';
import type { Config } from '../../../infra/config.ts';

/**
 * A cookie of the hosted pages: out of reach of scripts and of other sites' forms, for one path
 * below PLATFORM_URL.
 */
export interface PageCookie {
  name: string;
  value: string;
  /** Path below PLATFORM_URL, such as `/sign-in`. */
  path: string;
  /** 0 deletes the cookie. */
  maxAgeSeconds: number;
}

/**
 * Written by hand: behind a proxy that ends TLS, the cookie library of Koa refuses to mark a cookie
 * as secure.
 */
export function writeCookie(ctx: Context, { platformUrl }: Pick<Config, 'platformUrl'>, cookie: PageCookie): void {
  const { pathname, protocol } = new URL(platformUrl + cookie.path);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const { name, value, maxAgeSeconds } = cookie;
  ctx.append('Set-Cookie', `${name}=${value}; Path=${pathname}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`);
}
