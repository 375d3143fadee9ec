import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../../infra/config.ts';

/** How long somebody may stay at the third party. */
const CONSENT_SECONDS = 3600;

/**
 * Remembers in this browser alone, while consent is asked under a state, which page it began on: the answer counts only here.
 * The cookie holds the page's token, for the callback's address alone and out of reach of scripts.
 */
export function setConsentCookie(ctx: Context, config: Config, state: string, pageToken: string): void {
  writeCookie(ctx, config, state, pageToken, CONSENT_SECONDS);
}

export function clearConsentCookie(ctx: Context, config: Config, state: string): void {
  writeCookie(ctx, config, state, '', 0);
}

/** The token of the page where consent was begun, if it was in this browser. */
export function readConsentCookie(ctx: Context, state: string): string | undefined {
  return ctx.cookies.get(nameOf(state));
}

/** One for each state, so that several may be under way. */
function nameOf(state: string): string {
  return `connect_${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}

/** Written by hand: behind a proxy that ends TLS, the library refuses to mark a cookie as secure. */
function writeCookie(ctx: Context, { platformUrl }: Config, state: string, value: string, maxAge: number): void {
  const { pathname, protocol } = new URL(`${platformUrl}/connect/callback`);
  const secure = protocol === 'https:' ? '; Secure' : '';
  ctx.append('Set-Cookie', `${nameOf(state)}=${value}; Path=${pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`);
}
