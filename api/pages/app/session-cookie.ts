import type { Context } from 'koa';
import { MEMBER_SESSION } from '../../../domain/member.ts';
import type { Config } from '../../../infra/config.ts';

/** With the prefix, browsers refuse a cookie that a neighbouring host or plain HTTP has set. */
function cookieName({ platformUrl }: Pick<Config, 'platformUrl'>): string {
  return isSecure(platformUrl) ? '__Host-gateway' : 'gateway';
}

/** The session token of this browser. */
export function readSessionCookie(ctx: Pick<Context, 'cookies'>, config: Pick<Config, 'platformUrl'>): string | undefined {
  return ctx.cookies.get(cookieName(config), { signed: false });
}

/** Sets the header itself, like `writeCookie`. The prefix requires `Path=/`. */
export function setSessionCookie(ctx: Context, config: Pick<Config, 'platformUrl'>, token: string): void {
  write(ctx, config, token, MEMBER_SESSION.maxSeconds);
}

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
