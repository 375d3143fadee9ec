import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { renderPage, setPageHeaders } from '../layout/render-page.ts';

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** The pages of the device flow (RFC 8628). */
export const devicePages: Pick<DeviceFlow, 'userCodeInputSource' | 'userCodeConfirmSource' | 'successSource'> = {
  userCodeInputSource: async (ctx, form, _out, error) => {
    const problem = error === undefined ? undefined : (PROBLEMS[error.name ?? ''] ?? PROBLEMS.NotFoundError);
    const data = { xsrf: xsrfOf(form), problem, userCode: userCodes.get(ctx.req) };
    show(ctx, { title: 'Connect a device', template: 'device/input', data });
  },
  userCodeConfirmSource: async (ctx, form, client, _deviceInfo, userCode) => {
    const data = { xsrf: xsrfOf(form), client: client.clientName ?? client.clientId, userCode };
    show(ctx, { title: 'Is this your code?', template: 'device/confirm', data });
  },
  successSource: async (ctx) => show(ctx, { title: 'Connected', template: 'device/success', data: {} }),
};

const userCodes = new WeakMap<IncomingMessage, string>();

/**
 * Moves the code of `verification_uri_complete` from the URL into the form of our page. With a code
 * in the URL, the library would answer its own page, which sends the form without asking.
 */
export function keepUserCode(request: IncomingMessage): void {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const userCode = searchParams.get('user_code');
  if (userCode !== null) userCodes.set(request, userCode);
  request.url = pathname;
}

const PROBLEMS: Record<string, string> = {
  NoCodeError: 'Enter the code that your device shows.',
  NotFoundError: 'This code does not exist. Check the code, or start again on your device.',
  ExpiredError: 'The code has expired. Start again on your device.',
  AlreadyUsedError: 'The code was already used. Start again on your device.',
  AbortedError: 'The device gets no access. You can close this page.',
};

function show(ctx: KoaContextWithOIDC, page: Parameters<typeof renderPage>[1]): void {
  setPageHeaders(ctx as unknown as Context);
  renderPage(ctx as unknown as Context, page);
}

/** Returns the CSRF token in the form that the library renders. */
function xsrfOf(form: string): string {
  return /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
}
