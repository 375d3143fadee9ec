import type { Context } from 'koa';
import { MEMBER_SESSION } from '../../../domain/member.ts';
import type { Config } from '../../../infra/config.ts';

/** Browsers refuse a cookie named `__Host-…` if another host or a page over HTTP sets it. */
function cookieName({ platformUrl }: Pick<Config, 'platformUrl'>): string {
  return isSecure(platformUrl) ? '__Host-gateway' : 'gateway';
}

/** The session token of this browser. */
export function readSessionCookie(ctx: Pick<Context, 'cookies'>, config: Pick<Config, 'platformUrl'>): string | undefined {
  return ctx.cookies.get(cookieName(config), { signed: false });
}

/** Gives the browser a session token. The prefix `__Host-` requires `Path=/`. */
export function setSessionCookie(ctx: Context, config: Pick<Config, 'platformUrl'>, token: string): void {
  write(ctx, config, token, MEMBER_SESSION.maxSeconds);
}

/** Removes the session token from the browser. */
export function clearSessionCookie(ctx: Context, config: Pick<Config, 'platformUrl'>): void {
  write(ctx, config, '', 0);
}

function write(ctx: Context, config: Pick<Config, 'platformUrl'>, value: string, maxAgeSeconds: number): void {
  const secure = isSecure(config.platformUrl) ? '; Secure' : '';
  ctx.append('Set-Cookie', `${cookieName(config)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`);
}

function isSecure(platformUrl: string): boolean {
  return platformUrl.startsWith('https:');
}
