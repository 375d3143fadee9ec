import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import type { Gateway } from '../../../commands/gateway.ts';
import { sameSecret } from '../../../infra/tokens.ts';
import { writeCookie } from '../layout/write-cookie.ts';

const COOKIE = 'gateway_done';
const LIFETIME_SECONDS = 30;
const MAX_LENGTH = 500;

/**
 * Keeps a notice for the page after the redirect. The cookie is signed, so that a page shows only
 * notices that the service wrote.
 */
export function keepNotice(ctx: Context, gateway: Gateway, sentence: string): void {
  const text = Buffer.from(sentence.slice(0, MAX_LENGTH)).toString('base64url');
  writeCookie(ctx, gateway.config, {
    name: COOKIE,
    value: `${text}.${sign(gateway, text)}`,
    path: '/app',
    maxAgeSeconds: LIFETIME_SECONDS,
  });
}

/** Returns and deletes the kept notice. Undefined without a valid notice. */
export function takeNotice(ctx: Context, gateway: Gateway): string | undefined {
  const kept = ctx.cookies.get(COOKIE, { signed: false });
  if (kept === undefined) return undefined;
  writeCookie(ctx, gateway.config, { name: COOKIE, value: '', path: '/app', maxAgeSeconds: 0 });
  const [text = '', mac = ''] = kept.split('.');
  return sameSecret(mac, sign(gateway, text)) ? Buffer.from(text, 'base64url').toString() : undefined;
}

function sign({ tokens }: Gateway, text: string): string {
  return createHmac('sha256', tokens.key('dashboard notice')).update(text).digest('base64url');
}
