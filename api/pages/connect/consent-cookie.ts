import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../../infra/config.ts';
import { writeCookie } from '../layout/write-cookie.ts';

/** Time to sign in at the third party. */
const CONSENT_SECONDS = 3600;

const CALLBACK = '/connect/callback';

/**
 * Sets the cookie that binds a consent request to this browser. The answer is accepted only with
 * this cookie.
 */
export function setConsentCookie(ctx: Context, config: Config, state: string, pageToken: string): void {
  writeCookie(ctx, config, { name: nameOf(state), value: pageToken, path: CALLBACK, maxAgeSeconds: CONSENT_SECONDS });
}

/** Deletes the cookie of a consent request. */
export function clearConsentCookie(ctx: Context, config: Config, state: string): void {
  writeCookie(ctx, config, { name: nameOf(state), value: '', path: CALLBACK, maxAgeSeconds: 0 });
}

/** The token of the page where the consent request began; undefined in another browser. */
export function readConsentCookie(ctx: Context, state: string): string | undefined {
  return ctx.cookies.get(nameOf(state));
}

/**
 * Each consent request has its own cookie, because several requests can be open at the same time.
 */
function nameOf(state: string): string {
  return `connect_${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}
