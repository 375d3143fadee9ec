import type { Context } from 'koa';
import { OPENID_SIGN_IN_SECONDS, SIGN_IN_CODE, SIGN_IN_SESSION_SECONDS } from '../../../domain/oauth/sign-in.ts';
import type { Config } from '../../../infra/config.ts';
import { writeCookie } from '../layout/write-cookie.ts';

const SESSION = 'gateway_sign_in';
const CODE = 'gateway_sign_in_code';
const OPENID = 'gateway_sign_in_openid';

/** Sets the cookie with the session token. */
export function setSignInCookie(ctx: Context, config: Config, token: string): void {
  writeCookie(ctx, config, { name: SESSION, value: token, path: '/', maxAgeSeconds: SIGN_IN_SESSION_SECONDS });
}

/** Deletes the cookie with the session token. */
export function clearSignInCookie(ctx: Context, config: Config): void {
  writeCookie(ctx, config, { name: SESSION, value: '', path: '/', maxAgeSeconds: 0 });
}

/** The session token of this browser. */
export function readSignInCookie(ctx: Pick<Context, 'cookies'>): string | undefined {
  return ctx.cookies.get(SESSION, { signed: false });
}

/** Sets the cookie that binds a mailed code to this browser. */
export function setCodeCookie(ctx: Context, config: Config, browserSecret: string): void {
  writeCookie(ctx, config, { name: CODE, value: browserSecret, path: '/sign-in', maxAgeSeconds: SIGN_IN_CODE.lifetimeSeconds });
}

/** Deletes the cookie that binds a mailed code to this browser. */
export function clearCodeCookie(ctx: Context, config: Config): void {
  writeCookie(ctx, config, { name: CODE, value: '', path: '/sign-in', maxAgeSeconds: 0 });
}

/** The browser secret of the mailed code. Undefined if this browser requested no code. */
export function readCodeCookie(ctx: Context): string | undefined {
  return ctx.cookies.get(CODE, { signed: false });
}

/** Sets the cookie that binds a sign-in at the OpenID provider to this browser. */
export function setOpenIdCookie(ctx: Context, config: Config, browserSecret: string): void {
  writeCookie(ctx, config, { name: OPENID, value: browserSecret, path: '/sign-in/openid', maxAgeSeconds: OPENID_SIGN_IN_SECONDS });
}

/** Deletes the cookie that binds a sign-in at the OpenID provider to this browser. */
export function clearOpenIdCookie(ctx: Context, config: Config): void {
  writeCookie(ctx, config, { name: OPENID, value: '', path: '/sign-in/openid', maxAgeSeconds: 0 });
}

/** The browser secret of the sign-in at the OpenID provider. Undefined if it began elsewhere. */
export function readOpenIdCookie(ctx: Context): string | undefined {
  return ctx.cookies.get(OPENID, { signed: false });
}
